#include "sdk/app/api/host/graph_runs.hpp"

#include <chrono>

#include "byoc/graph_executor.hpp"
#include "sdk/app/api/host/remote_graph.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/run_apart.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc::api {

Result<ModelInterface> graph_interface(const std::string& graph, const std::string& params, Diagnostics& diags) {
  const auto json = read_text(graph, diags);
  const auto given = params.empty() ? Result<std::string>(std::string()) : read_text(params, diags);
  if (!json || !given) return failure;
  auto made = remote_graph(*json, std::as_bytes(std::span(*given)), graph, diags);
  if (!made) return failure;
  made->interface.name = graph;
  return std::move(made->interface);
}

namespace {

bool run_once(GraphExecutor& executor, std::uint64_t* took, Diagnostics& diags) {
  const auto start = std::chrono::steady_clock::now();
  if (!executor.run(diags)) return false;
  const auto time = std::chrono::steady_clock::now() - start;
  if (took != nullptr)
    *took = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  return true;
}

// All outputs of all runs, then the time of each repetition.
bool run_graph_times(GraphExecutor& executor, const ModelInterface& interface, const std::vector<TensorBytes>& tensors,
                     bool reset, std::uint32_t repetitions, MessageWriter& answer, Diagnostics& diags) {
  const std::size_t each = interface.inputs.size(), runs = run_count(interface, tensors.size());
  for (std::size_t r = 0; r < runs; ++r) {
    if (r != 0 && reset) executor.reset();
    for (std::size_t i = 0; i < each; ++i)
      if (!executor.set_input(interface.inputs[i].name, tensors[r * each + i], diags)) return false;
    if (!run_once(executor, nullptr, diags)) return false;
    for (std::size_t o = 0; o < interface.outputs.size(); ++o) {
      const auto bytes = executor.get_output(o, diags);
      if (!bytes) return false;
      answer.put(std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
    }
  }
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    std::uint64_t took = 0;
    if (!run_once(executor, &took, diags)) return false;
    answer.put(took);
  }
  return true;
}

bool answer_graph(std::string_view request, MessageWriter& answer, Diagnostics& said) {
  MessageReader in(request);
  const std::string graph = in.text(), library = in.text(), params = in.text();
  const std::vector<std::vector<std::byte>> bytes = in.list([&] { return in.blob(); });
  const bool reset = in.flag();
  const auto repetitions = in.get<std::uint32_t>();
  const auto interface = in.ended() ? graph_interface(graph, params, said) : Result<ModelInterface>(failure);
  if (!interface) return false;
  const std::vector<TensorBytes> tensors(bytes.begin(), bytes.end());
  auto executor = GraphExecutor::open(graph, library, params, said);
  return executor && run_graph_times(*executor, *interface, tensors, reset, repetitions, answer, said);
}

void serve_graph(Worker::Channel& channel, std::string_view request) {
  answer_apart(channel, [&](MessageWriter& answer, Diagnostics& said) { return answer_graph(request, answer, said); });
}

}  // namespace

extern const Service kGraphRunService{"graph run", serve_graph};

Result<RunResult> run_apart(const GraphRuns& runs, const ModelInterface& interface, Diagnostics& diags) {
  MessageWriter request;
  for (const std::string* text : {&runs.graph, &runs.library, &runs.params}) request.put(*text);
  request.list(runs.inputs, [&](const TensorBytes& t) {
    request.put(std::string_view(reinterpret_cast<const char*>(t.data()), t.size()));
  });
  request.put(runs.reset);
  request.put(runs.repeat);
  const auto answer = byoc::run_apart(runs.library, {}, 0, kGraphRunService.name, request.bytes(), diags);
  if (!answer) return failure;
  MessageReader in(*answer);
  RunResult out{};
  const std::size_t outputs = interface.outputs.size();
  for (std::size_t i = 0; i < run_count(interface, runs.inputs.size()) * outputs; ++i) {
    out.outputs.push_back(in.blob());
    if (out.outputs.back().size() != interface.outputs[i % outputs].bytes) return bad_answer(runs.library, diags);
  }
  for (std::uint32_t i = 0; i < runs.repeat; ++i) out.times.push_back(in.get<std::uint64_t>());
  if (!in.ended()) return bad_answer(runs.library, diags);
  return out;
}

}  // namespace byoc::api
