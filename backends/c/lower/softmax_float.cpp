// Softmax on f32.
#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_softmax_float(const Region& region, const Node& node, const TargetSpec&) {
  if (!is_float(region, node)) return refuse_dtype(region.values[node.inputs[0]].dtype, "f32 or quantised values");
  const Value& x = region.values[node.inputs[0]];
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  const std::int64_t axis = node.integer("axis", node.version < 13 ? 1 : -1);
  if (axis < -rank || (axis >= rank && !(rank == 0 && axis <= 0)))
    return refuse(codegen::Reason::unsupported_attribute,
                  "found axis " + std::to_string(axis) + ", expected one of an input " + shape_text(x));
  if (!fits_int32(region, node)) return refuse(codegen::Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_softmax_float(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  // Before opset 13 the dims from the axis on are one, and the axis is 1 unless it is given.
  const bool flattens = node.version < 13;
  std::int64_t axis = node.integer("axis", flattens ? 1 : -1);
  if (axis < 0) axis += rank;
  std::int64_t outer = 1, count = 1, inner = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    std::int64_t& part = i < axis ? outer : i == axis || flattens ? count : inner;
    part *= x.dims[static_cast<std::size_t>(i)];
  }
  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel({"softmax_f32.c", "byoc_softmax_f32", {}});
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  StepText text;
  text.includes = {"byoc_softmax_f32.h"};
  text.body = "  " + step.kernel + "(" + std::to_string(outer) + ", " + std::to_string(count) + ", " +
              std::to_string(inner) + ", " + c_bound(node.real("beta", 1.0f)) + ", " + from + ", out0);\n";
  step.outputs = {{node.outputs[0]}};
  if (!step.inputs.empty()) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
