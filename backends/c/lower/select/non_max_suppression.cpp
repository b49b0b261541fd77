// NonMaxSuppression, with the number of boxes that it has chosen.
#include <algorithm>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/select/select.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_non_max_suppression(const Region& region, const Node& node, const TargetSpec&) {
  const DType expected[] = {DType::f32, DType::f32, DType::i64, DType::f32, DType::f32};
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Value* v = given_input(region, node, i);
    if (v == nullptr) continue;
    if (v->dtype != expected[i]) return refuse_dtype(v->dtype, std::string(to_string(expected[i])));
    if (i >= 2 && v->elements() != 1)
      return refuse(Reason::unsupported_shape, "found " + shape_text(*v) + ", expected one element");
  }
  const Value &boxes = region.values[node.inputs[0]], &scores = region.values[node.inputs[1]];
  if (boxes.dims[0] != scores.dims[0] || boxes.dims[1] != scores.dims[2] || boxes.dims[2] != 4)
    return refuse(Reason::unsupported_shape, "found boxes " + shape_text(boxes) + " and scores " + shape_text(scores) +
                                                 ", expected [batch,boxes,4] and [batch,classes,boxes]");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_non_max_suppression(Emitter& emitter, const Node& node) {
  const Dims& scores = emitter.input(node, 1)->dims;
  const std::int64_t room = emitter.value(node.outputs[0]).dims[0];
  const Kernel kernel{"non_max_suppression.c", "byoc_non_max_suppression", {}};
  emitter.kernel(kernel);
  StepBuilder step(emitter, node);
  step.text.includes.insert("byoc_select.h");
  step.text.declarations.insert("BYOC_NON_MAX_SUPPRESSION(" + kernel.symbol + ");");
  ParameterText p;
  p.add("batch", scores[0]).add("classes", scores[1]).add("count", scores[2]);
  p.add("centre", node.integer("center_point_box", 0) != 0 ? 1 : 0).add("room", room);
  std::string call = kernel.symbol + "(" + step.parameters("byoc_non_max_suppression_t", p);
  for (std::size_t input = 0; input < 5; ++input) call += ", " + given_operand(step, node, input);
  call += ", " + step.output(0) + ", (int32_t *)" +
          step.workspace(std::max<std::uint64_t>(static_cast<std::uint64_t>(scores[2]), 1) * 4, 4) + ")";
  take_count(step, node, 1, call, room);
  step.finish(kernel.symbol);
  return true;
}

}  // namespace byoc::c
