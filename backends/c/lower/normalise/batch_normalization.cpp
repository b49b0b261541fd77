// BatchNormalization: one multiplication and one addition, folded from its constants; otherwise from its operands.
#include <cmath>

#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/normalise/normalise.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

namespace {

// If all operands except x are constant, two numbers for each channel are enough.
bool is_folded(const Region& region, const Node& node) {
  if (region.values[node.inputs[0]].dtype != DType::f32 || node.integer("training_mode", 0) != 0) return false;
  for (std::size_t i = 1; i <= 4; ++i) {
    const Value& v = region.values[node.inputs[i]];
    if (!v.is_constant || v.dtype != DType::f32) return false;
  }
  return true;
}

AroundAxis channels_of(const Value& x) {
  return x.dims.size() > 1 ? around(extents(x), 1) : AroundAxis{elements(x), 1, 1};
}

bool lower_training(Emitter& emitter, const Node& node) {
  const AroundAxis a = channels_of(*emitter.input(node, 0));
  Normalisation n;
  n.dims = {a.outer, a.axis, a.inner};
  n.reduced = {true, false, true};
  n.scale = n.bias = {0, 1, 0};
  n.epsilon = static_cast<double>(node.real("epsilon", 1e-5f));
  return lower_running_normalisation(emitter, node, n, static_cast<double>(node.real("momentum", 0.9f)));
}

bool lower_computed(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const DType scale = emitter.input(node, 1)->dtype, mean = emitter.input(node, 3)->dtype;
  Kernel kernel{"batch_normalise.c", typed_symbol("batch_normalise", {x.dtype, scale, mean}), {}};
  define_element(kernel, "BYOC_X", x.dtype);
  define_element(kernel, "BYOC_S", scale);
  define_element(kernel, "BYOC_R", mean);
  define_arithmetic(kernel, x.dtype);
  TypedStep s(emitter, node);
  const Clamped clamped = fuse_clamp(emitter, node);
  const std::string p = s.parameters(channel_parameters(channels_of(x)), "byoc_channels_t");
  s.call(kernel, "byoc_normalise.h", "BYOC_BATCH_NORMALISE",
         {std::string(c_type(x.dtype)), std::string(c_type(scale)), std::string(c_type(mean)),
          std::string(element_type(x.dtype)->work)},
         {p, c_literal(x.dtype, static_cast<double>(node.real("epsilon", 1e-5f))), s.in(0), s.in(1), s.in(2), s.in(3),
          s.in(4), "out0", c_literal(x.dtype, static_cast<double>(clamped.bounds.lo)),
          c_literal(x.dtype, static_cast<double>(clamped.bounds.hi))});
  s.step.outputs = {{clamped.output}};
  s.step.nodes = clamped.nodes;
  return s.emit();
}

}  // namespace

codegen::Verdict accepts_batch_normalization(const Region& region, const Node& node, const TargetSpec&) {
  if (auto no = refuse_unless_real(region, node)) return *no;
  const Value& x = region.values[node.inputs[0]];
  if (!region.symbols.empty() && (node.integer("training_mode", 0) != 0 || x.dims.size() < 2 || x.dims[1] < 0))
    return refuse(Reason::unsupported_shape, "found dims that only a run knows, of channels or in training");
  if (x.dims.empty()) return refuse(Reason::unsupported_shape, "found a scalar, expected [N,C,...]");
  for (std::size_t i = 1; i <= 4; ++i) {
    const Value& v = region.values[node.inputs[i]];
    if (!is_float_type(v.dtype) || v.dtype != region.values[node.inputs[i < 3 ? 1 : 3]].dtype)
      return refuse_dtype(v.dtype, "f16, bf16, f32 or f64, the same for scale and bias, and for mean and variance");
    if (channels_of(x).axis != v.elements())
      return refuse(Reason::unsupported_shape,
                    "found parameters " + shape_text(v) + ", expected [" + channels_of(x).axis.text() + "]");
  }
  return claim();
}

bool lower_batch_normalization(Emitter& emitter, const Node& node) {
  if (node.integer("training_mode", 0) != 0) return lower_training(emitter, node);
  if (!is_folded(emitter.region, node)) return lower_computed(emitter, node);
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
  const AroundAxis a = channels_of(x);
  p.add("outer", a.outer).add("channels", a.axis).add("inner", a.inner);
  p.add("bounds", c_bounds(clamped.bounds));
  StepText text;
  text.includes = {"byoc_affine_f32.h"};
  text.parameters = {p.definition("byoc_affine_f32_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + from + ", " + m + ", " + b + ", out0);\n";
  step.outputs = {{clamped.output}};
  if (!step.inputs.empty()) step.overlays = {{.output = 0, .input = 0}};
  step.nodes = clamped.nodes;
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
