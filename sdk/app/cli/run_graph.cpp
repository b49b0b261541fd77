// Runs of a graph.json, whoever made it, with its library: here, or where a server is.
#include <algorithm>
#include <chrono>

#include "byoc/graph_executor.hpp"
#include "sdk/app/api/host/remote_graph.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/run_apart.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc::cli {
namespace {

// The inputs and outputs of a run; parameters are neither.
Result<ModelInterface> interface_of(const std::string& graph, const std::string& params, Diagnostics& diags) {
  const auto json = read_text(graph, diags);
  const auto given = params.empty() ? Result<std::string>(std::string()) : read_text(params, diags);
  if (!json || !given) return failure;
  auto made = api::remote_graph(*json, std::as_bytes(std::span(*given)), graph, diags);
  if (!made) return failure;
  made->interface.name = graph;
  return std::move(made->interface);
}

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
  const auto interface = in.ended() ? interface_of(graph, params, said) : Result<ModelInterface>(failure);
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

// The library is of others.
Result<RunResult> RunCommand::run_here(const ModelInterface& interface, const std::vector<TensorBytes>& tensors,
                                       Diagnostics& diags) const {
  MessageWriter request;
  for (const std::string* text : {&graph, &model.model, &params}) request.put(*text);
  request.list(tensors, [&](const TensorBytes& t) {
    request.put(std::string_view(reinterpret_cast<const char*>(t.data()), t.size()));
  });
  request.put(options.reset);
  request.put(repetitions());
  const auto answer = run_apart(model.model, {}, 0, kGraphRunService.name, request.bytes(), diags);
  if (!answer) return failure;
  MessageReader in(*answer);
  RunResult out{};
  const std::size_t outputs = interface.outputs.size();
  for (std::size_t i = 0; i < run_count(interface, tensors.size()) * outputs; ++i) {
    out.outputs.push_back(in.blob());
    if (out.outputs.back().size() != interface.outputs[i % outputs].bytes) return bad_answer(model.model, diags);
  }
  for (std::uint32_t i = 0; i < repetitions(); ++i) out.times.push_back(in.get<std::uint64_t>());
  if (!in.ended()) return bad_answer(model.model, diags);
  return out;
}

Result<void> RunCommand::run_graph(Diagnostics& diags) const {
  Progress progress(model.quiet);
  progress.stage("read");
  if (!remote.address.empty()) {
    auto session = connect(diags);
    if (!session || !session->load_graph(graph, model.model, params, diags)) return failure;
    return show_remote(*session, {}, progress, diags);
  }
  const auto interface = interface_of(graph, params, diags);
  if (!interface || !check_places(interface->inputs.size(), interface->output_count(), diags)) return failure;
  const auto tensors = read_tensors(*interface, diags);
  if (!tensors) return failure;
  progress.stage("run");
  const auto result = run_here(*interface, *tensors, diags);
  if (!result) return failure;
  if (!model.quiet) show_outputs(*interface, *result);
  show_asked_for(*interface, *result, result->times);
  OutputSet files(diags, files_read());
  if (!add_results(*interface, {}, *tensors, *result, files, diags) || !flush_output(diags) || !files.commit())
    return failure;
  if (!model.quiet) show_places();
  return {};
}

}  // namespace byoc::cli
