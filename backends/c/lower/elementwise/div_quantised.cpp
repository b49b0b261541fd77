// Div of two 8-bit quantised tensors of ONNX.
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/quantise/axis_scales.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/view.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_div_quantised(const Region& region, const Node& node, const TargetSpec&) {
  const Value& y = region.values[node.outputs[0]];
  if (region.requant != Requant::onnx)
    return refuse(Reason::unsupported_quantisation, "TFLite has no division of quantised values");
  if (auto no = refuse_unless_8bit(y, "output")) return *no;
  for (const codegen::ValueId v : node.inputs) {
    const Value& x = region.values[v];
    if (auto no = refuse_unless_8bit(x, "input")) return *no;
    if (x.dtype != y.dtype) return refuse_dtype(x.dtype, to_string(y.dtype));
    if (!broadcasts_to(x, y))
      return refuse(Reason::unsupported_shape,
                    "found an operand " + shape_text(x) + ", expected one that broadcasts to " + shape_text(y));
  }
  if (node.text("activation", "none") != "none")
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_div_quantised(Emitter& emitter, const Node& node) {
  const Value &a = *emitter.input(node, 0), &b = *emitter.input(node, 1), &y = emitter.value(node.outputs[0]);
  const PeeledNest nest = peel(
      merge({y.dims, {broadcast_strides(a.dims, y.dims), broadcast_strides(b.dims, y.dims), dense_strides(y.dims)}}));
  const std::string name = stem(emitter, node);
  codegen::Step step;
  StepText text;
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel(
      {"div_q8.c", "byoc_div_q8_" + std::string(to_string(y.dtype)), {{"BYOC_X", std::string(c_type(y.dtype))}}});
  const std::string left = operand(emitter, step, node.inputs[0], name + "_a");
  const std::string right = operand(emitter, step, node.inputs[1], name + "_b");
  ParameterText loops, p;
  add_loops(loops, nest.inner, {"a_stride", "b_stride"});
  const ElementRange range = *element_range(y.dtype);
  p.add("loops", loops.nested("byoc_binary_t"));
  p.add("a_scale", c_bound(affine(a).scale)).add("b_scale", c_bound(affine(b).scale));
  p.add("scale", c_bound(affine(y).scale));
  p.add("a_zero", std::int64_t{affine(a).zero}).add("b_zero", std::int64_t{affine(b).zero});
  p.add("zero", std::int64_t{affine(y).zero}).add("min", range.low).add("max", range.high);
  text.includes = {"byoc_div_q8.h"};
  text.parameters = {p.definition("byoc_div_q8_t", step.symbol + "_params")};
  text.body = nest.around("  " + step.kernel + "(&" + step.symbol + "_params, " + left + nest.offsets[0] + ", " +
                          right + nest.offsets[1] + ", out0" + nest.offsets[2] + ");\n");
  step.outputs = {{node.outputs[0]}};
  step.nodes = {node_id(emitter, node)};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
