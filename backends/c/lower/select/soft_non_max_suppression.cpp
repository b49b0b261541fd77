// byoc.SoftNonMaxSuppression: the boxes that are chosen, with room for the most there can be, and how many there are.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/select/select.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_soft_non_max_suppression(const Region& region, const Node& node, const TargetSpec&) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* v = given_input(region, node, i);
    if (v != nullptr && v->dtype != DType::f32) return refuse_dtype(v->dtype, "f32");
  }
  if (node.outputs[0] == codegen::kNoValue || node.outputs.size() < 3 || node.outputs[2] == codegen::kNoValue)
    return refuse(Reason::unsupported_attribute, "found an output that is not wanted");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_soft_non_max_suppression(Emitter& emitter, const Node& node) {
  const std::int64_t count = emitter.input(node, 1)->elements();
  const Kernel kernel{"soft_non_max_suppression.c", "byoc_soft_non_max_suppression", {}};
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_select.h");
  step.text.declarations.insert("BYOC_SOFT_NON_MAX_SUPPRESSION(" + kernel.symbol + ");");
  std::string call =
      kernel.symbol + "(" + std::to_string(count) + ", " + std::to_string(emitter.value(node.outputs[0]).elements());
  for (std::size_t input = 0; input < 5; ++input) call += ", " + given_operand(step, node, input);
  for (std::size_t output = 0; output < 3; ++output) call += ", " + wanted_output(step, node, output);
  const std::uint64_t bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1)) * 4;
  call += ", (float *)" + step.workspace(bytes, 4);
  call += ", (int32_t *)" + step.workspace(bytes, 4) + ");";
  step.line(call);
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
