#include "tests/support/differential.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include "sdk/ir/rewrite.hpp"
#include "sdk/module/target.hpp"
#include "sdk/pipeline/export.hpp"
#include "tests/support/host_library.hpp"
#include "tests/support/tensors.hpp"

namespace byoc::test {
namespace {

using evaluate::Tensor;

double largest(const Tensor& t) {
  double out = 0;
  if (t.type.dtype != DType::f32) return out;
  for (std::size_t i = 0; i + 4 <= t.bytes.size(); i += 4) {
    float value = 0;
    std::memcpy(&value, t.bytes.data() + i, 4);
    if (std::isfinite(value)) out = std::max(out, std::fabs(static_cast<double>(value)));
  }
  return out;
}

// Sums may cancel: what they may differ by follows from their terms.
double sum_slack(const ir::Node& node, const std::vector<const Tensor*>& operands) {
  const bool products = node.op == "Conv" || node.op == "ConvTranspose" || node.op == "Gemm" || node.op == "MatMul" ||
                        node.op == "FullyConnected";
  const bool sums = node.op.starts_with("Reduce") || node.op.ends_with("Pool") || node.op.ends_with("Normalization") ||
                    node.op == "CumSum" || node.op == "Sum" || node.op == "Mean" || node.op == "Resize" ||
                    node.op == "LSTM" || node.op == "GRU" || node.op == "RNN" || node.op == "LRN";
  // The sum whose logarithm is taken is 1 or more.
  const bool logarithms = node.op == "LogSoftmax" || node.op.ends_with("Loss");
  if (!products && !sums && !logarithms) return 0;
  double terms = products || logarithms ? 1 : 0;
  for (const Tensor* t : operands) {
    if (t == nullptr) continue;
    terms = products ? terms * std::max(largest(*t), 1.0) : std::max(terms, largest(*t));
  }
  return 2e-6 * terms;
}

// A mean is off by half a step of its largest term, which the division by the deviation makes larger: that is the root
// of epsilon at least.
double mean_slack(const ir::Node& node, const std::vector<const Tensor*>& operands) {
  if (node.op != "InstanceNormalization" && node.op != "LayerNormalization" && node.op != "GroupNormalization")
    return 0;
  const double deviation = std::sqrt(static_cast<double>(node.real("epsilon", 1e-5F)));
  const double scale = operands.size() > 1 && operands[1] != nullptr ? largest(*operands[1]) : 1;
  return 6e-8 * largest(*operands[0]) * scale / deviation;
}

// Infinities times sines and cosines that are zero, or would be but for rounding: what is left depends on who adds.
bool turns_infinities(const ir::Node& node) { return node.op == "DFT" || node.op == "STFT"; }

Tensor plain(Tensor t) {
  t.type.quantisation = std::nullopt;
  return t;
}

template <class Bits>
void drop_denormals(std::vector<std::byte>& bytes, Bits exponent, Bits sign) {
  for (std::size_t i = 0; i + sizeof(Bits) <= bytes.size(); i += sizeof(Bits)) {
    Bits x = 0;
    std::memcpy(&x, bytes.data() + i, sizeof x);
    if ((x & exponent) != 0) continue;
    x &= sign;
    std::memcpy(bytes.data() + i, &x, sizeof x);
  }
}

// Halves are computed as floats, of which theirs are none.
Tensor without_denormals(const Tensor& t) {
  if (t.type.dtype != DType::f32 && t.type.dtype != DType::bf16) return t;
  std::vector<std::byte> bytes(t.bytes.bytes().begin(), t.bytes.bytes().end());
  if (t.type.dtype == DType::f32)
    drop_denormals<std::uint32_t>(bytes, 0x7f800000, 0x80000000);
  else
    drop_denormals<std::uint16_t>(bytes, 0x7f80, 0x8000);
  return {t.type, Blob::own(std::move(bytes))};
}

using Values = std::vector<std::optional<Tensor>>;

std::vector<const Tensor*> operands_of(const ir::Node& node, const Values& values) {
  std::vector<const Tensor*> out;
  for (const ir::ValueId v : node.inputs) out.push_back(v == ir::kNoValue ? nullptr : &*values[v]);
  return out;
}

}  // namespace

std::string compare_values(const ir::Graph& graph, std::span<const Tensor> inputs,
                           const std::map<ir::ValueId, Tensor>& values, std::span<const Tensor> outputs, bool flushes) {
  Values known(graph.values.size()), zeroed(flushes ? graph.values.size() : 0);
  const auto keep = [&](ir::ValueId v, const Tensor& t, const Tensor& other) {
    known[v] = t;
    if (flushes) zeroed[v] = without_denormals(other);
  };
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const Tensor t{graph.values[graph.inputs[i]].type, inputs[i].bytes};
    keep(graph.inputs[i], t, t);
  }
  for (ir::ValueId v = 0; v < graph.values.size(); ++v) {
    if (!graph.values[v].constant) continue;
    const Tensor t{graph.values[v].type, graph.values[v].constant->bytes};
    keep(v, t, t);
  }
  for (const ir::Node& node : graph.nodes) {
    const std::vector<const Tensor*> operands = operands_of(node, known);
    Diagnostics diags;
    const auto results = evaluate::evaluate_node(graph, node, operands, diags);
    const auto others = flushes ? evaluate::evaluate_node(graph, node, operands_of(node, zeroed), diags) : results;
    if (!results || !others) return "evaluator: " + error_text(diags);
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      const ir::ValueId v = node.outputs[o];
      if (v == ir::kNoValue) continue;
      const auto found = values.find(v);
      if (found == values.end()) {
        keep(v, (*results)[o], (*others)[o]);
        continue;
      }
      Tolerance tolerance = backend_tolerance(graph.values[v].type.dtype);
      tolerance.absolute += sum_slack(node, operands) + mean_slack(node, operands);
      tolerance.any_for_not_finite = turns_infinities(node);
      const Tensor other = plain((*others)[o]);
      const std::string text = difference(plain(found->second), plain((*results)[o]), tolerance, &other);
      if (!text.empty()) return node.describe() + " output " + std::to_string(o) + ": " + text;
      const Tensor t{graph.values[v].type, found->second.bytes};
      keep(v, t, t);
    }
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const Tensor expected = plain(*known[graph.outputs[i]]);
    const Tensor other = flushes ? plain(*zeroed[graph.outputs[i]]) : expected;
    const std::string text = difference(plain(outputs[i]), expected, backend_tolerance(outputs[i].type.dtype), &other);
    if (!text.empty()) return "graph output " + std::to_string(i) + ": " + text;
  }
  return "";
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
  ExportOptions export_options;
  export_options.target = *resolve_target("host", diags);
  export_options.name = "graph";
  export_options.objective = options.objective;
  export_options.trace = true;
  export_options.kernel_objects = options.kernel_objects;
  codegen::Codegen* codegens[] = {&codegen};
  export_options.codegens = codegens;
  const auto library = compile_model(prepared, export_options, diags);
  if (!library) return "export: " + error_text(diags);
  std::string error;
  auto loaded = HostLibrary::load(*library, options.keep, error, true);
  if (!loaded) return error;
  std::vector<Tensor> outputs, second;
  HostLibrary::Values values;
  if (error = loaded->run(inputs, outputs, values); !error.empty()) return "generated code " + error;
  if (error = compare_values(prepared, inputs, values, outputs); !error.empty()) return error;
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
