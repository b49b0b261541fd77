#include "tests/support/differential.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "sdk/codegen/partition/partition.hpp"
#include "sdk/export/export.hpp"
#include "sdk/model/evaluate/comparison.hpp"
#include "sdk/model/ir/rewrite.hpp"
#include "sdk/target/target/target.hpp"
#include "tests/support/host_library.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

using evaluate::Tensor;

Tensor plain(Tensor t) {
  t.type.quantisation = std::nullopt;
  return t;
}

}  // namespace

std::vector<evaluate::Allowance> stated_by(codegen::Codegen& codegen, const ir::Graph& graph,
                                           const TargetSpec& target) {
  Diagnostics diags;
  codegen::Codegen* codegens[] = {&codegen};
  const auto partition = make_partition(graph, codegens, target, {}, diags);
  return partition ? stated(graph_of(*partition, graph), *partition)
                   : std::vector<evaluate::Allowance>(graph.nodes.size());
}

ir::Graph as_placed(codegen::Codegen& codegen, const ir::Graph& prepared, const TargetSpec& target) {
  codegen::Codegen* const codegens[] = {&codegen};
  Diagnostics diags;
  const auto partition = make_partition(prepared, codegens, target, {}, diags);
  return partition ? graph_of(*partition, prepared) : prepared;
}

std::string compare_values(const ir::Graph& graph, std::span<const Tensor> inputs,
                           const std::map<ir::ValueId, Tensor>& values, std::span<const Tensor> outputs,
                           std::vector<evaluate::Allowance> stated, bool flushes) {
  const evaluate::Agreement how{flushes, true};
  const std::vector<ir::NodeId> producer = ir::producers(graph);
  evaluate::FoundTensors found;
  std::vector<Blob> bytes;
  for (const Tensor& t : inputs) bytes.push_back(t.bytes);
  for (const auto& [v, t] : values) found[v] = {t.bytes};
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const ir::ValueId v = graph.outputs[i];
    const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), v);
    Blob expected;
    if (graph.values[v].constant)
      expected = graph.values[v].constant->bytes;
    else if (input != graph.inputs.end())
      expected = bytes[static_cast<std::size_t>(input - graph.inputs.begin())];
    else if (found.emplace(v, evaluate::FoundTensor{outputs[i].bytes}).second || producer[v] == ir::kNoNode)
      continue;
    else
      expected = found[v].bytes;
    if (const auto m = mismatch(outputs[i], {graph.values[v].type, expected}, {}, how))
      return "graph output " + std::to_string(i) + ": " + to_string(*m);
  }
  Diagnostics diags;
  evaluate::Comparison comparison(graph, std::move(stated), how);
  const auto difference = comparison.run(bytes, found, diags);
  if (!difference) return "evaluator: " + error_text(diags);
  return *difference ? to_string(graph, **difference) : "";
}

std::string prepare_checked(const ir::Graph& graph, std::span<const Tensor> inputs, ir::Graph& prepared, bool lift) {
  Diagnostics diags;
  const auto expected = evaluate::run(graph, inputs, diags);
  if (!expected) return "evaluator: " + error_text(diags);
  prepared = graph;
  PrepareOptions prepare_options;
  prepare_options.lift = false;
  if (!prepare(prepared, prepare_options, diags)) return "prepare: " + error_text(diags);
  const auto again = evaluate::run(prepared, inputs, diags);
  if (!again) return "evaluator on the prepared graph: " + error_text(diags);
  for (std::size_t i = 0; i < expected->size(); ++i)
    if (const std::string text = difference(plain((*again)[i]), plain((*expected)[i]), {}); !text.empty())
      return "preparing changes graph output " + std::to_string(i) + ": " + text;
  if (!lift) return "";
  prepared = graph;
  if (!prepare(prepared, {}, diags)) return "prepare with lifting: " + error_text(diags);
  return "";
}

std::string check_on_host(const ir::Graph& graph, std::span<const Tensor> inputs, codegen::Codegen& codegen,
                          const DifferentialOptions& options) {
  Diagnostics diags;
  ir::Graph prepared;
  if (std::string text = prepare_checked(graph, inputs, prepared, options.lift); !text.empty()) return text;
  Job job;
  job.target = *resolve_target("host", diags);
  job.name = "graph";
  job.request.objective = options.objective;
  job.request.trace = true;
  job.kernel_objects = options.kernel_objects;
  codegen::Codegen* codegens[] = {&codegen};
  job.codegens = codegens;
  const auto library = compile_model(prepared, job, diags);
  if (!library) return "export: " + error_text(diags);
  std::string error;
  auto loaded = HostLibrary::load(*library, options.keep, error, true);
  if (!loaded) return error;
  std::vector<Tensor> outputs, second;
  HostLibrary::Values values;
  if (error = loaded->run(inputs, outputs, values); !error.empty()) return "generated code " + error;
  const ir::Graph& placed = graph_of(library->partition, prepared);
  if (error = compare_values(placed, inputs, values, outputs, stated(placed, library->partition)); !error.empty())
    return error;
  if (error = loaded->run(inputs, second); !error.empty()) return "generated code, second run: " + error;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!std::ranges::equal(outputs[i].bytes.bytes(), second[i].bytes.bytes()))
      return "the second run gives another output " + std::to_string(i);
  return "";
}

namespace {

// Drops what no output needs; inputs that nobody reads go too.
Reduced pruned(Reduced r) {
  std::vector<bool> needed(r.graph.values.size(), false);
  for (const ir::ValueId v : r.graph.outputs) needed[v] = true;
  for (std::size_t n = r.graph.nodes.size(); n-- > 0;) {
    const ir::Node& node = r.graph.nodes[n];
    const bool wanted = std::any_of(node.outputs.begin(), node.outputs.end(),
                                    [&](ir::ValueId v) { return v != ir::kNoValue && needed[v]; });
    if (!wanted) {
      r.graph.nodes.erase(r.graph.nodes.begin() + static_cast<std::ptrdiff_t>(n));
      continue;
    }
    for (const ir::ValueId v : node.inputs)
      if (v != ir::kNoValue) needed[v] = true;
  }
  for (std::size_t i = r.graph.inputs.size(); i-- > 0;) {
    if (needed[r.graph.inputs[i]]) continue;
    r.graph.inputs.erase(r.graph.inputs.begin() + static_cast<std::ptrdiff_t>(i));
    r.inputs.erase(r.inputs.begin() + static_cast<std::ptrdiff_t>(i));
  }
  ir::remove_dead(r.graph);
  return r;
}

// The node's outputs become inputs with the values that the evaluator has for them.
std::optional<Reduced> cut(const Reduced& from, std::size_t n) {
  Diagnostics diags;
  std::map<ir::ValueId, Tensor> values;
  if (!evaluate::run(from.graph, from.inputs, diags, [&](ir::ValueId v, const Tensor& t) { values[v] = t; }))
    return std::nullopt;
  Reduced out = from;
  for (const ir::ValueId v : from.graph.nodes[n].outputs) {
    if (v == ir::kNoValue) continue;
    if (!values.contains(v)) return std::nullopt;
    out.graph.inputs.push_back(v);
    out.inputs.push_back({out.graph.values[v].type, values[v].bytes});
  }
  out.graph.nodes.erase(out.graph.nodes.begin() + static_cast<std::ptrdiff_t>(n));
  return pruned(std::move(out));
}

}  // namespace

Reduced reduce(const ir::Graph& graph, std::span<const Tensor> inputs,
               const std::function<bool(const Reduced&)>& fails) {
  Reduced best{graph, {inputs.begin(), inputs.end()}};
  for (std::size_t i = best.graph.outputs.size(); i-- > 0 && best.graph.outputs.size() > 1;) {
    Reduced fewer = best;
    fewer.graph.outputs.erase(fewer.graph.outputs.begin() + static_cast<std::ptrdiff_t>(i));
    fewer = pruned(std::move(fewer));
    if (fails(fewer)) best = std::move(fewer);
  }
  for (std::size_t n = 0; n < best.graph.nodes.size();) {
    auto smaller = cut(best, n);
    if (smaller && smaller->graph.nodes.size() < best.graph.nodes.size() && fails(*smaller))
      best = std::move(*smaller);
    else
      ++n;
  }
  return best;
}

}  // namespace byoc::test
