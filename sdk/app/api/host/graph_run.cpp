#include "sdk/app/api/host/graph_run.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "byoc/threads.hpp"
#include "sdk/base/support/json.hpp"
#include "sdk/run/host/graph_executor.hpp"
#include "sdk/run/simulate/dump.hpp"
#include "sdk/run/simulate/simulate.hpp"
#include "sdk/target/module/import_tree.hpp"

namespace byoc::api {
namespace {

using Impl = GraphExecutor::Impl;

constexpr int kTimedRuns = 10;

// The places in the plan that the graph was made of: they describe the tensors of a step.
class Places {
 public:
  explicit Places(const Impl& impl) : impl_(impl) {
    const auto& metadata = impl.graph.metadata;
    if (metadata.is_object() && metadata.contains("byoc")) entries_ = metadata.at("byoc").value("entries", entries_);
    for (std::size_t i = 0; i < impl.graph.arguments.size(); ++i) put(impl.input_entry(i));
  }

  void put(std::uint32_t entry) { latest_.insert(latest_.begin(), entry); }

  // The bytes from the start of the tensor on; empty: it is in none of them.
  [[nodiscard]] std::span<const std::byte> find(const StoredTensor& t) const {
    static constexpr const char* kPlaces[] = {"input", "output", "workspace", "constant", "instance"};
    for (const std::uint32_t e : latest_) {
      if (e >= entries_.size() || entries_[e].size() != 3 ||
          entries_[e][0] != kPlaces[static_cast<std::size_t>(t.place)] ||
          (t.place != Place::instance && entries_[e][1] != t.index))
        continue;
      const std::span<const std::byte> bytes = impl_.bytes(e);
      const auto start = entries_[e][2].get<std::uint64_t>();
      if (t.offset >= start && t.offset - start < bytes.size()) return bytes.subspan(t.offset - start);
    }
    return {};
  }

 private:
  const Impl& impl_;
  Json entries_ = Json::array();
  std::vector<std::uint32_t> latest_;
};

std::uint64_t extent(const StoredTensor& t) {
  if (t.strides.empty()) return t.bytes;
  std::uint64_t out = bit_width(t.dtype) / 8;
  for (std::size_t d = 0; d < t.dims.size(); ++d) out += static_cast<std::uint64_t>((t.dims[d] - 1) * t.strides[d]);
  return out;
}

// An entry as the graph describes it.
DumpedTensor dumped(const Impl& impl, std::uint32_t e) {
  const GraphJsonEntry& entry = impl.graph.entries[e];
  StoredTensor t;
  t.value = e;
  t.name = impl.graph.entry_name(e);
  t.dims = entry.shape;
  t.dtype = element_type(entry.type).value_or(DType::u8);
  const auto bytes = impl.bytes(e);
  t.bytes = bytes.size();
  return {t, {bytes.begin(), bytes.end()}};
}

// Runs step by step, and takes every tensor right after the step that completed it.
Result<void> run_dumping(GraphExecutor& executor, const ModelInterface& model, RunResult& result, Diagnostics& diags) {
  const Impl& impl = executor.impl();
  Places places(impl);
  std::size_t step = 0;
  std::size_t last = impl.graph.nodes.size();
  const bool knows_tensors =
      std::any_of(model.steps.begin(), model.steps.end(), [](const StepInfo& s) { return !s.results.empty(); });
  const auto observe = [&](std::size_t node, const GraphTensor& t, std::span<const std::byte>) {
    const GraphJsonNode& n = impl.graph.nodes[node];
    for (std::uint32_t k = 0; k < n.outputs; ++k)
      if (impl.graph.entry_name(impl.graph.first_entry[node] + k) == t.name)
        places.put(impl.graph.first_entry[node] + k);
    const bool is_last_output = impl.graph.entry_name(impl.graph.first_entry[node] + n.outputs - 1) == t.name;
    if (!is_last_output || node == last || n.function == kCopyFunction) return;
    last = node;
    if (step >= model.steps.size()) return;
    if (!knows_tensors) {
      for (std::uint32_t k = 0; k < n.outputs; ++k)
        result.dumps.push_back(dumped(impl, impl.graph.first_entry[node] + k));
      ++step;
      return;
    }
    for (const StoredTensor& s : model.steps[step++].results)
      if (const auto bytes = places.find(s); bytes.size() >= extent(s) && !bytes.empty())
        result.dumps.push_back(with_all_channels(s, gather(bytes.first(extent(s)), s)));
  };
  return executor.run(observe, diags);
}

// Nullopt if the run failed.
std::optional<std::uint64_t> time_of_run(GraphExecutor& executor, Diagnostics& diags) {
  const auto start = std::chrono::steady_clock::now();
  if (!executor.run(diags)) return std::nullopt;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count());
}

// The shortest of a few runs, and the shortest of each step; what is kept is then as it was.
Result<void> measure(GraphExecutor& executor, bool steps, RunResult& result, Diagnostics& diags) {
  const Impl& impl = executor.impl();
  for (int i = 0; i < kTimedRuns; ++i) {
    const auto taken = time_of_run(executor, diags);
    if (!taken) return failure;
    result.nanoseconds = std::min(result.nanoseconds.value_or(*taken), *taken);
  }
  for (int i = 0; steps && i < kTimedRuns; ++i) {
    const auto all = executor.run_timed(diags);
    if (!all) return failure;
    std::vector<std::uint64_t> counts;
    for (const std::uint32_t n : impl.nodes)
      if (impl.graph.nodes[n].function != kCopyFunction) counts.push_back((*all)[n]);
    if (result.step_counts.empty()) result.step_counts = counts;
    for (std::size_t k = 0; k < counts.size(); ++k) result.step_counts[k] = std::min(result.step_counts[k], counts[k]);
  }
  executor.reset();
  return {};
}

Result<void> check_inputs(const GraphExecutor& executor, const ModelInterface& model, std::size_t inputs,
                          Diagnostics& diags) {
  if (inputs != run_count(model, inputs) * model.inputs.size())
    return diags.error({}, model.name, "wrong number of inputs", std::to_string(inputs),
                       std::to_string(model.inputs.size()) + " for each run");
  if (executor.model_inputs() != model.inputs.size() || executor.outputs().size() != model.outputs.size())
    return diags.error({}, model.name, "the graph and the manifest have different inputs or outputs");
  return {};
}

Result<void> set_inputs(GraphExecutor& executor, std::span<const TensorBytes> inputs, Diagnostics& diags) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!executor.set_input(i, inputs[i], diags)) return failure;
  return {};
}

Result<void> run_all(GraphExecutor& executor, const ModelInterface& model, std::span<const TensorBytes> inputs,
                     const RunOptions& options, RunResult& result, Diagnostics& diags) {
  const std::size_t runs = run_count(model, inputs.size());
  const bool dump = options.dump || options.compare;
  for (std::size_t r = 0; r < runs; ++r) {
    if (r != 0 && options.reset) executor.reset();
    if (!set_inputs(executor, inputs.subspan(r * model.inputs.size(), model.inputs.size()), diags)) return failure;
    if (!(dump ? run_dumping(executor, model, result, diags) : executor.run(diags))) return failure;
    for (std::size_t o = 0; o < model.outputs.size(); ++o) {
      const auto bytes = executor.get_output(o, diags);
      if (!bytes) return failure;
      result.outputs.emplace_back(bytes->begin(), bytes->end());
    }
  }
  for (std::uint32_t i = 0; i < options.repeat; ++i) {
    const auto taken = time_of_run(executor, diags);
    if (!taken) return failure;
    result.times.push_back(*taken);
  }
  return {};
}

}  // namespace

bool has_graph(const LoadedModule& root) {
  const std::vector<LoadedModule> all = root.imports();
  return std::any_of(all.begin(), all.end(), [](const LoadedModule& m) { return m.loader() == kGraphLoader; });
}

Result<RunResult> run_graph(const LoadedModule& root, const ModelInterface& model, std::span<const TensorBytes> inputs,
                            const RunOptions& options, Diagnostics& diags) {
  if (options.cycles) return diags.error({}, model.name, "cycles are not estimated on hosts", {}, "a simulated CPU");
  auto executor = GraphExecutor::create(root, diags);
  if (!executor || !check_inputs(*executor, model, inputs.size(), diags)) return failure;
  auto pool = options.threads == 0 ? Result<ThreadPool>(failure) : ThreadPool::create(options.threads, diags);
  if (options.threads != 0 && (!pool || !executor->set_threads(&pool->threads(), diags))) return failure;
  RunResult result;
  result.flash.weights = model.weight_bytes;
  result.ram.workspace = executor->memory_bytes();
  if (!set_inputs(*executor, inputs.first(model.inputs.size()), diags) ||
      !measure(*executor, options.profile, result, diags) || !run_all(*executor, model, inputs, options, result, diags))
    return failure;
  return result;
}

}  // namespace byoc::api
