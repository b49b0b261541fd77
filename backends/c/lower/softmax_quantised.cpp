// Softmax on i8 with TFLite's fixed-point arithmetic.
#include <algorithm>
#include <cmath>

#include "backends/c/lower/parameter_text.hpp"
#include "backends/c/lower/quantised.hpp"
#include "backends/c/lower/requantise.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

namespace {

// PreprocessSoftmaxScaling of tensorflow/lite/kernels/internal/quantization_util.cc, with 5 integer bits.
Multiplier input_multiplier(const Node& node, const Value& x) {
  return quantise_multiplier(std::min(
      static_cast<double>(node.real("beta", 1)) * static_cast<double>(affine(x).scale) * static_cast<double>(1 << 26),
      2147483647.0));
}

}  // namespace

Verdict accepts_softmax_quantised(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised softmax of ONNX, expected TFLite's");
  if (auto no = refuse_unless_s8(x, "input")) return *no;
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  const auto rank = static_cast<std::int64_t>(x.dims.size());
  const std::int64_t axis = node.integer("axis", -1);
  if (rank == 0 || (axis != -1 && axis != rank - 1))
    return refuse(Reason::unsupported_attribute, "found axis " + std::to_string(axis) + ", expected the last");
  if (affine(y).scale != 1.0F / 256 || affine(y).zero != -128)
    return refuse(Reason::unsupported_quantisation, "found output scale " + std::to_string(affine(y).scale) +
                                                        " and zero point " + std::to_string(affine(y).zero) +
                                                        ", expected 1/256 and -128");
  if (!(node.real("beta", 1) > 0))
    return refuse(Reason::unsupported_attribute, "found beta " + std::to_string(node.real("beta", 1)));
  // The reference shifts left by this.
  if (input_multiplier(node, x).shift < 0)
    return refuse(Reason::unsupported_quantisation, "found an input scale times beta below 2^-27");
  return claim();
}

bool lower_softmax_quantised(Emitter& emitter, const Node& node) {
  const Value& x = *emitter.input(node, 0);
  const Multiplier m = input_multiplier(node, x);
  // CalculateInputRadius
  const auto least = -static_cast<std::int64_t>(std::floor(31.0 * std::ldexp(1.0, 26) / std::ldexp(1.0, m.shift)));

  codegen::Step step;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  step.symbol = emitter.host().claim("softmax_" + std::to_string(step.nodes[0]));
  step.kernel = emitter.kernel({"softmax_s8.c", "byoc_softmax_s8", {}});
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  ParameterText p;
  p.add("rows", x.elements() / x.dims.back())
      .add("depth", x.dims.back())
      .add("multiplier", m.q)
      .add("left_shift", m.shift)
      .add("least", std::max<std::int64_t>(least, -2147483647));
  StepText text;
  text.includes = {"byoc_softmax_s8.h"};
  text.prelude = p.definition("byoc_softmax_s8_t", step.symbol + "_params");
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, in0, out0);\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
