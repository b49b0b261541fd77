// Concat: one copy for each input.
#include "backends/c/lower/copy.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

// [dims before the axis][the axis and what follows] of one input, `at` elements into the output's rows.
Copy part(const Value& x, const Value& y, std::size_t axis, std::int64_t at) {
  std::int64_t outer = 1, row = 1, all = 1;
  for (std::size_t i = 0; i < y.dims.size(); ++i) {
    if (i < axis) {
      outer *= y.dims[i];
    } else {
      row *= x.dims[i];
      all *= y.dims[i];
    }
  }
  return {.dims = {outer, row}, .from_strides = {row, 1}, .to_strides = {all, 1}, .from_offset = 0, .to_offset = at};
}

std::size_t axis_of(const Node& node, const Value& y) {
  const std::int64_t axis = node.integer("axis", 0);
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(y.dims.size()) : axis);
}

}  // namespace

codegen::Verdict accepts_concat(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  const std::size_t axis = axis_of(node, y);
  if (axis >= y.dims.size())
    return refuse(Reason::unsupported_attribute,
                  "found axis " + std::to_string(node.integer("axis", 0)) + ", expected one of " + shape_text(y));
  for (codegen::ValueId v : node.inputs) {
    const Value& x = region.values[v];
    if (x.dims.size() != y.dims.size())
      return refuse(Reason::unsupported_shape,
                    "found an input " + shape_text(x) + ", expected the rank of " + shape_text(y));
    if (x.quantisation != y.quantisation)
      return refuse(Reason::unsupported_quantisation,
                    "found an input whose quantisation is not the output's, expected one for all");
  }
  if (const std::string activation = node.text("activation", "none"); activation != "none")
    return refuse(Reason::unsupported_attribute, "found activation " + activation + ", expected none");
  return accepts_copy(region, node, part(region.values[node.inputs[0]], y, axis, 0));
}

bool lower_concat(Emitter& emitter, const Node& node) {
  const Value& y = emitter.value(node.outputs[0]);
  const std::size_t axis = axis_of(node, y);
  const std::string name = stem(emitter, node);
  codegen::Step step;
  StepText text;
  step.symbol = emitter.host().claim(name);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value& x = emitter.value(node.inputs[i]);
    const Copy copy = part(x, y, axis, at);
    at += copy.from_strides[0];
    if (x.elements() == 0) continue;
    const std::string from = operand(emitter, step, node.inputs[i], name + "_part");
    add_copy(emitter, text, step.symbol + "_params" + std::to_string(i), y.dtype, copy, from, "out0");
  }
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  step.kernel = "copy";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
