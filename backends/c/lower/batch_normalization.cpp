// BatchNormalization: one multiplication and one addition, folded from its constants.
#include <cmath>

#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/constants.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"
#include "backends/c/lower/parameter_text.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

codegen::Verdict accepts_batch_normalization(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  if (x.dtype != DType::f32) return refuse_dtype(x.dtype, "f32");
  if (x.dims.size() < 2)
    return refuse(Reason::unsupported_shape, "found an input " + shape_text(x) + ", expected [N,C,...]");
  if (node.integer("training_mode", 0) != 0)
    return refuse(Reason::unsupported_attribute, "found training_mode 1, expected 0");
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    if (node.outputs[i] != codegen::kNoValue)
      return refuse(Reason::unsupported_attribute, "found outputs of training, expected one output");
  for (std::size_t i = 1; i <= 4; ++i) {
    const Value* v = given_input(region, node, i);
    if (!v || !v->is_constant || v->dtype != DType::f32)
      return refuse(Reason::not_constant, "found computed scale, bias, mean or variance, expected f32 constants");
    if (v->elements() != x.dims[1])
      return refuse(Reason::unsupported_shape,
                    "found parameters " + shape_text(*v) + ", expected [" + std::to_string(x.dims[1]) + "]");
  }
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_batch_normalization(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const auto gain = constant_elements<float>(*emitter.input(node, 1));
  const auto offset = constant_elements<float>(*emitter.input(node, 2));
  const auto mean = constant_elements<float>(*emitter.input(node, 3));
  const auto variance = constant_elements<float>(*emitter.input(node, 4));
  std::vector<float> scale, shift;
  for (std::size_t c = 0; c < gain.size(); ++c) {
    const double m = gain[c] / std::sqrt(static_cast<double>(variance[c]) + node.real("epsilon", 1e-5f));
    scale.push_back(static_cast<float>(m));
    shift.push_back(static_cast<float>(offset[c] - mean[c] * m));
  }
  const std::string name = stem(emitter, node);
  const Clamped clamped = fuse_clamp(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.kernel = emitter.kernel({"affine_f32.c", "byoc_affine_f32", {}});
  const std::string from = operand(emitter, step, node.inputs[0], name + "_x");
  const std::string m = emitter.constant<float>(name + "_scale", scale, true);
  const std::string b = emitter.constant<float>(name + "_shift", shift, true);
  ParameterText p;
  p.add("outer", x.dims[0]).add("channels", x.dims[1]).add("inner", x.elements() / (x.dims[0] * x.dims[1]));
  p.add("bounds", c_bounds(clamped.bounds));
  StepText text;
  text.includes = {"byoc_affine_f32.h"};
  text.prelude = p.definition("byoc_affine_f32_t", step.symbol + "_params");
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + from + ", " + m + ", " + b + ", out0);\n";
  step.outputs = {{clamped.output}};
  if (!step.inputs.empty()) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = clamped.nodes;
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
