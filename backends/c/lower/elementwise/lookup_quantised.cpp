#include "backends/c/lower/elementwise/lookup_quantised.hpp"

#include <algorithm>

#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

codegen::Verdict accepts_lookup(const codegen::Region& region, const codegen::Node& node) {
  if (auto no = refuse_unless_8bit(region.values[node.inputs[0]], "input")) return *no;
  if (auto no = refuse_unless_8bit(region.values[node.outputs[0]], "output")) return *no;
  return claim();
}

bool lower_lookup(Emitter& emitter, const codegen::Node& node,
                  const std::function<std::int64_t(std::int32_t)>& function) {
  const codegen::Value& x = *emitter.input(node, 0);
  const codegen::Value& y = emitter.value(node.outputs[0]);
  const ElementRange from = *element_range(x.dtype), to = *element_range(y.dtype);
  std::vector<std::uint8_t> table(256);  // by the bits of the element
  for (std::int64_t q = from.low; q <= from.high; ++q)
    table[static_cast<std::uint8_t>(q)] =
        static_cast<std::uint8_t>(std::clamp(function(static_cast<std::int32_t>(q)), to.low, to.high));
  codegen::Step step;
  step.nodes = {node_id(emitter, node)};
  const std::string stem = "lookup_" + std::to_string(step.nodes[0]);
  step.symbol = emitter.host().claim(stem);
  step.kernel = emitter.kernel({"lookup.c", "byoc_lookup_8", {{"BYOC_TO", "uint8_t"}}});
  StepText text;
  text.includes = {"byoc_quantise.h"};
  const std::string in = operand(emitter, step, node.inputs[0], stem + "_x");
  text.body = "  " + step.kernel + "(" + std::to_string(y.elements()) + ", " +
              emitter.constant<std::uint8_t>(stem + "_table", table, false) + ", " + in + ", (uint8_t *)out0);\n";
  if (!x.is_constant) step.overlays = {{0, 0}};
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
