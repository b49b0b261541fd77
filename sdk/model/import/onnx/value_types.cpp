#include "sdk/model/import/onnx/value_types.hpp"

#include <algorithm>
#include <optional>

#include "sdk/model/ir/control.hpp"
#include "sdk/model/ir/operators.hpp"
#include "sdk/model/shapes/infer_shapes.hpp"
#include "sdk/model/shapes/inference.hpp"

namespace byoc::onnx_import {
namespace {

constexpr std::size_t kHighestRank = 8;   // that is tried for an operand without one
constexpr std::size_t kMostUnranked = 2;  // operands of a node whose ranks are tried

// Whether a rule can be asked: every operand has an element type, and a rank where it is a tensor.
bool is_ranked(const ir::TensorType& t) { return !t.is_tensor() || t.dims.has_value(); }

// Dims of the graph and kUnknown, as symbols of `graph`.
ir::TensorType with_symbols(ir::TensorType type, ir::Graph& graph) {
  if (!type.dims) return type;
  for (ir::Dim& d : *type.dims)
    if (d == shapes::kUnknown) {
      graph.symbols.push_back("?" + std::to_string(graph.symbols.size()));
      d = ir::symbol_dim(graph.symbols.size() - 1);
    }
  return type;
}

// Symbols that are not among the first `count` become kUnknown.
ir::TensorType without_new_symbols(ir::TensorType type, std::size_t count) {
  if (!type.dims) return type;
  for (ir::Dim& d : *type.dims)
    if (ir::is_open(d) && (d == shapes::kUnknown || static_cast<std::size_t>(-1 - d) >= count)) d = shapes::kUnknown;
  return type;
}

}  // namespace

ir::TensorType common_type(const ir::TensorType& a, const ir::TensorType& b) {
  ir::TensorType out;
  if (a.container != b.container) return out;
  out.container = a.container;
  if (a.dtype == b.dtype) out.dtype = a.dtype;
  if (!a.dims || !b.dims || a.dims->size() != b.dims->size()) return out;
  out.dims = a.dims;
  for (std::size_t d = 0; d < out.dims->size(); ++d)
    if ((*a.dims)[d] != (*b.dims)[d]) (*out.dims)[d] = shapes::kUnknown;
  return out;
}

const ir::TensorType& ValueTypes::of(ir::ValueId v) {
  while (next_ < graph_.nodes.size()) add(graph_.nodes[next_++]);
  return known(v);
}

void ValueTypes::set(ir::ValueId v, ir::TensorType type) { types_[v] = without_new_symbols(std::move(type), 0); }

const ir::TensorType& ValueTypes::known(ir::ValueId v) const {
  const auto found = types_.find(v);
  return found == types_.end() ? graph_.values[v].type : found->second;
}

std::vector<ir::TensorType> ValueTypes::infer(const ir::Node& node, const std::vector<ir::TensorType>& operands) const {
  ir::Graph one;  // of this node
  one.file = graph_.file;
  one.symbols = graph_.symbols;
  one.stated_shapes_may_err = graph_.stated_shapes_may_err;
  const std::size_t symbols = one.symbols.size();
  ir::Node copy = node;
  for (std::size_t i = 0; i < copy.inputs.size(); ++i) {
    ir::ValueId& v = copy.inputs[i];
    if (v == ir::kNoValue) continue;
    ir::Value value;
    value.type = with_symbols(operands[i], one);
    if (graph_.is_constant(v)) value.constant = graph_.values[v].constant;
    if (const Blob* bytes = elements_.bytes(v); bytes != nullptr && !value.constant)
      value.constant.emplace().bytes = *bytes;
    v = one.add_value(std::move(value));
  }
  for (ir::ValueId& v : copy.outputs)
    if (v != ir::kNoValue) {
      ir::Value value;
      value.type = with_symbols(known(v), one);
      v = one.add_value(std::move(value));
    }
  const std::vector<ir::ValueId> outputs = copy.outputs;
  one.nodes.push_back(std::move(copy));
  Diagnostics unheard;  // what is wrong with a node is told when the whole graph is looked at
  if (!infer_shapes(one, unheard)) return {};
  std::vector<ir::TensorType> out;
  for (const ir::ValueId v : outputs)
    out.push_back(v == ir::kNoValue ? ir::TensorType{} : without_new_symbols(one.values[v].type, symbols));
  return out;
}

std::vector<ir::TensorType> ValueTypes::infer_any_rank(const ir::Node& node, std::vector<ir::TensorType> operands,
                                                       std::size_t first) const {
  const auto unranked =
      std::find_if_not(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end(), is_ranked);
  if (unranked == operands.end()) return infer(node, operands);
  const auto at = static_cast<std::size_t>(unranked - operands.begin());
  std::vector<ir::TensorType> out;
  for (std::size_t rank = 0; rank <= kHighestRank; ++rank) {
    operands[at].dims = std::vector<ir::Dim>(rank, shapes::kUnknown);
    auto results = infer_any_rank(node, operands, at + 1);
    if (results.empty()) continue;
    for (std::size_t k = 0; k < out.size(); ++k) results[k] = common_type(out[k], results[k]);
    out = std::move(results);
  }
  return out;
}

void ValueTypes::add(const ir::Node& node) {
  const bool has_types = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ir::ValueId v) {
    return v == ir::kNoValue || known(v).dtype != DType::undefined;
  });
  // Importing the bodies of a node tells its results.
  if (!has_types || ir::is_control(node) || ir::find_operator(node.domain, node.op) == nullptr) return;
  std::vector<ir::TensorType> operands;
  for (const ir::ValueId v : node.inputs) operands.push_back(v == ir::kNoValue ? ir::TensorType{} : known(v));
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (node.inputs[i] == ir::kNoValue) operands[i].dims.emplace();
  const auto unranked = std::count_if(operands.begin(), operands.end(), [](const auto& t) { return !is_ranked(t); });
  if (static_cast<std::size_t>(unranked) > kMostUnranked) return;
  const std::vector<ir::TensorType> results = infer_any_rank(node, std::move(operands), 0);
  for (std::size_t k = 0; k < results.size(); ++k)
    if (node.outputs[k] != ir::kNoValue) types_[node.outputs[k]] = results[k];
  if (!results.empty()) elements_.compute(node, [&](ir::ValueId v) -> const ir::TensorType& { return known(v); });
}

}  // namespace byoc::onnx_import
