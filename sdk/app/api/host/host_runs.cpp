#include "sdk/app/api/host/host_runs.hpp"

#include <algorithm>
#include <chrono>

#include "byoc/threads.hpp"
#include "sdk/app/api/host/host_answer.hpp"
#include "sdk/base/support/run_apart.hpp"

namespace byoc::api {

// All runs, then the last inputs once more, as often as is asked for.
Result<HostResults> run_here(const HostModel& model, const HostRuns& runs, Diagnostics& diags) {
  auto pool = runs.threads == 0 ? Result<ThreadPool>(failure) : ThreadPool::create(runs.threads, diags);
  if (runs.threads != 0 && (!pool || !model.set_threads(&pool->threads(), diags))) return failure;
  const std::size_t each = model.inputs().size();
  const std::size_t count = each == 0 ? 1 : runs.values.size() / each;
  HostResults out;
  for (std::size_t r = 0; r < count; ++r) {
    if (runs.reset && r != 0 && !model.reset(diags)) return failure;
    auto result = model.run(runs.values.subspan(r * each, each), runs.limits, diags);
    if (!result) return failure;
    out.results.push_back(std::move(*result));
  }
  for (std::uint32_t i = 0; i < runs.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (!model.run(runs.values.last(each), runs.limits, diags)) return failure;
    out.times.push_back(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count()));
  }
  return out;
}

namespace {

bool answer_run(std::string_view request, MessageWriter& message, Diagnostics& said) {
  MessageReader in(request);
  const std::string library = in.text(), weights = in.text();
  const std::vector<HostValue> values = get_values(in);
  HostRuns runs{.values = values, .limits = {}};
  runs.reset = in.flag();
  runs.repeat = in.get<std::uint32_t>();
  runs.threads = in.get<std::uint32_t>();
  runs.limits.memory = in.get<std::uint64_t>();
  runs.limits.instructions = in.get<std::uint64_t>();
  if (!in.ended()) return false;
  const auto model = HostModel::open(library, weights, said);
  const auto answer = model ? run_here(*model, runs, said) : Result<HostResults>(failure);
  if (answer) put_answer(*answer, message);
  return bool(answer);
}

void serve_run(Worker::Channel& channel, std::string_view request) {
  answer_apart(channel, [&](MessageWriter& message, Diagnostics& said) { return answer_run(request, message, said); });
}

}  // namespace

extern const Service kHostRunService{"host run", serve_run};

Result<HostResults> run_apart(const HostModel& model, const std::string& library, const std::string& weights,
                              const HostRuns& runs, Diagnostics& diags) {
  MessageWriter request;
  request.put(library);
  request.put(weights);
  put_values(runs.values, request);
  request.put(runs.reset);
  request.put(runs.repeat);
  request.put(runs.threads);
  request.put(runs.limits.memory);
  request.put(runs.limits.instructions);
  const auto message = byoc::run_apart(library, {}, 0, kHostRunService.name, request.bytes(), diags);
  if (!message) return failure;
  auto answer = read_answer(*message);
  const std::size_t outputs = model.outputs().size();
  if (!answer || std::any_of(answer->results.begin(), answer->results.end(),
                             [&](const std::vector<HostValue>& r) { return r.size() != outputs; }))
    return bad_answer(library, diags);
  return std::move(*answer);
}

}  // namespace byoc::api
