#include "sdk/model/import/onnx/body_types.hpp"

#include <algorithm>

#include "sdk/model/shapes/inference.hpp"

namespace byoc::onnx_import {
namespace {

using Type = ir::TensorType;
using Types = std::vector<Type>;

constexpr std::size_t kLoopOperands = 2;  // trip count and condition, before the carried values

bool is_batched(const ir::Node& node) { return node.is("", "Scan") && node.version == 8; }

// A type as it is in every round: a carried value may change its shape.
Type without_dims(Type t) {
  t.dims.reset();
  return t;
}

Type scalar(DType dtype) { return {dtype, std::vector<ir::Dim>{}, {}}; }

std::int64_t axis_of(const ir::Node& node, const char* attribute, std::size_t k) {
  const auto axes = node.integers(attribute, {});
  return k < axes.size() ? axes[k] : 0;
}

// The dims with `dim` at the axis, or without the axis where there is none; absent if the axis does not fit.
std::optional<std::vector<ir::Dim>> with_axis(std::vector<ir::Dim> dims, std::int64_t axis,
                                              std::optional<ir::Dim> dim) {
  const auto rank = static_cast<std::int64_t>(dims.size()) + (dim ? 1 : 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  if (dim)
    dims.insert(dims.begin() + axis, *dim);
  else
    dims.erase(dims.begin() + axis);
  return dims;
}

Types loop_inputs(const Types& operands) {
  Types out{scalar(DType::i64), scalar(DType::boolean)};
  for (std::size_t i = kLoopOperands; i < operands.size(); ++i) out.push_back(without_dims(operands[i]));
  return out;
}

Types scan_inputs(const ir::Node& node, const Types& operands) {
  const auto scanned = static_cast<std::size_t>(std::max<std::int64_t>(node.integer("num_scan_inputs", 0), 0));
  Types out;
  for (std::size_t i = is_batched(node) ? 1 : 0; i < operands.size(); ++i) {
    Type t = operands[i];
    const std::size_t behind = operands.size() - i;
    if (is_batched(node) || behind > scanned || !t.dims)
      t.dims.reset();
    else
      t.dims = with_axis(*t.dims, axis_of(node, "scan_input_axes", scanned - behind), std::nullopt);
    out.push_back(std::move(t));
  }
  return out;
}

Types map_inputs(const Types& operands) {
  Types out = operands;
  for (Type& t : out)
    if (!t.is_tensor()) t = {t.dtype, std::nullopt, {}};
  return out;
}

// The results of a Loop or Scan: what is carried, then what is stacked. `outputs` are the body's.
Types rounds_results(const ir::Node& node, const Types& initial, const Types& outputs) {
  Types out;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (k < initial.size()) {
      out.push_back(common_type(initial[k], outputs[k]));
      continue;
    }
    Type t = outputs[k];
    if (is_batched(node) || !t.dims)
      t.dims.reset();
    else
      t.dims = with_axis(*t.dims, axis_of(node, "scan_output_axes", k - initial.size()), shapes::kUnknown);
    out.push_back(std::move(t));
  }
  return out;
}

Types operand_types(const ir::Node& node, ValueTypes& types) {
  Types out;
  for (const ir::ValueId v : node.inputs) out.push_back(v == ir::kNoValue ? Type{} : types.of(v));
  return out;
}

}  // namespace

Types body_inputs(const ir::Node& node, ValueTypes& types) {
  const Types operands = operand_types(node, types);
  if (node.is("", "Loop")) return loop_inputs(operands);
  if (node.is("", "Scan")) return scan_inputs(node, operands);
  if (node.is("", "SequenceMap")) return map_inputs(operands);
  return {};
}

Types control_results(const ir::Node& node, const std::vector<Types>& bodies, ValueTypes& types) {
  Types out = bodies[0];
  if (node.is("", "If")) {
    for (std::size_t k = 0; k < out.size() && bodies.size() == 2; ++k)
      out[k] = k < bodies[1].size() ? common_type(out[k], bodies[1][k]) : Type{};
    return out;
  }
  if (node.is("", "SequenceMap")) {
    for (Type& t : out) t = {t.dtype, std::nullopt, {}, ir::Container::sequence};
    return out;
  }
  Types operands = operand_types(node, types);
  const bool is_loop = node.is("", "Loop");
  const auto scanned = static_cast<std::size_t>(std::max<std::int64_t>(node.integer("num_scan_inputs", 0), 0));
  const std::size_t first = is_loop ? kLoopOperands : is_batched(node) ? 1 : 0;
  const std::size_t behind = is_loop ? 0 : scanned;
  if (operands.size() < first + behind || (is_loop && out.empty())) return {};
  operands.resize(operands.size() - behind);
  operands.erase(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(first));
  if (is_loop) out.erase(out.begin());  // the condition
  return rounds_results(node, operands, out);
}

}  // namespace byoc::onnx_import
