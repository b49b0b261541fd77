#include <algorithm>

#include "sdk/evaluate/evaluate.hpp"
#include "sdk/ir/rewrite.hpp"
#include "sdk/prepare/fold.hpp"
#include "sdk/prepare/prepare.hpp"

namespace byoc {
namespace {

bool dequantises(const ir::Node& node) { return node.is("", "DequantizeLinear") || node.is("byoc", "Dequantize"); }

bool inputs_are_constant(const ir::Graph& graph, const ir::Node& node) {
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ir::ValueId v) { return v == ir::kNoValue || graph.is_constant(v); });
}

Result<void> fold_node(ir::Graph& graph, const ir::Node& node, Diagnostics& diags) {
  // The operands share the constants' bytes; nothing is copied.
  std::vector<evaluate::Tensor> tensors(node.inputs.size());
  std::vector<const evaluate::Tensor*> operands(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == ir::kNoValue) continue;
    const ir::Value& v = graph.values[node.inputs[i]];
    tensors[i] = {v.type, v.constant->bytes};
    operands[i] = &tensors[i];
  }
  Result<std::vector<evaluate::Tensor>> results = evaluate::evaluate_node(graph, node, operands, diags);
  if (!results) return failure;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i] == ir::kNoValue) continue;
    ir::Value& v = graph.values[node.outputs[i]];
    v.type.dtype = (*results)[i].type.dtype;
    v.type.dims = (*results)[i].type.dims;
    v.constant.emplace();
    v.constant->bytes = std::move((*results)[i].bytes);
  }
  return {};
}

}  // namespace

Result<void> fold(ir::Graph& graph, FoldDequantise dequantise, Diagnostics& diags) {
  std::vector<ir::Node> kept;
  bool ok = true;
  for (ir::Node& node : graph.nodes) {
    const bool folds = inputs_are_constant(graph, node) && evaluate::supports(node) &&
                       (dequantise == FoldDequantise::yes || !dequantises(node));
    if (!folds)
      kept.push_back(std::move(node));
    else if (!fold_node(graph, node, diags))
      ok = false;
  }
  graph.nodes = std::move(kept);
  if (!ok) return failure;
  ir::remove_dead(graph);
  return {};
}

Result<void> fold_constants(ir::Graph& graph, Diagnostics& diags) { return fold(graph, FoldDequantise::no, diags); }

}  // namespace byoc
