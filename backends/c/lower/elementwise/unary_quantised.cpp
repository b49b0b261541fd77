// TFLite's quantised functions of one element that are straight on each side of zero: ABS, LEAKY_RELU, RELU and RELU6
// of 16 bits; of 8 bits as tables.
#include <algorithm>
#include <cstring>

#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/elementwise/unary_quantised.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "byoc/tflite.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

// y = zero + (x < 0 ? (flip ? -x : x) * below : x * above), clamped; x without its zero point.
struct Piecewise {
  Multiplier above, below;
  bool flip = false;
  std::int32_t in_zero = 0, zero = 0;
  Clamp clamp;

  [[nodiscard]] std::int64_t operator()(std::int32_t q) const {
    const std::int32_t x = q - in_zero;
    const std::int32_t y = x < 0 ? multiply(flip ? -x : x, below) : multiply(x, above);
    return std::clamp<std::int64_t>(std::int64_t{y} + zero, clamp.low, clamp.high);
  }
};

constexpr Multiplier kOne{1 << 30, 1};

Piecewise read_piecewise(const Region& region, const Node& node) {
  const Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  const Affine in = affine(x), out = affine(y);
  Piecewise f;
  f.in_zero = in.zero;
  f.zero = out.zero;
  f.clamp = range_of(y);
  f.above = f.below = tflite::relu_multiplier(in, out);
  if (node.op == "Abs") f.flip = true;
  if (node.op == "Relu") f.clamp.low = std::max(f.clamp.low, out.zero);
  if (node.op == "LeakyRelu") {
    const float alpha = node.real("alpha", 0.01F);
    f.below = tflite::leaky_relu_multiplier(alpha, in, out);
    f.flip = alpha < 0;
  }
  return f;
}

// RELU6 and its like clamp in the input's units and do not rescale.
Piecewise read_clip(const Region& region, const Node& node) {
  const Value& x = region.values[node.inputs[0]];
  Piecewise f;
  f.above = f.below = kOne;
  f.in_zero = f.zero = affine(x).zero;
  f.clamp = range_of(x);
  for (std::size_t i = 1; i <= 2 && i < node.inputs.size(); ++i) {
    const Value* bound = given_input(region, node, i);
    if (!bound) continue;
    float real = 0;
    std::memcpy(&real, bound->data.data(), sizeof real);
    const auto q = std::clamp<std::int64_t>(tflite::quantise(real, affine(x)), f.clamp.low, f.clamp.high);
    (i == 1 ? f.clamp.low : f.clamp.high) = static_cast<std::int32_t>(q);
  }
  return f;
}

bool lower_piecewise(Emitter& emitter, const Node& node, const Piecewise& f) {
  const Value& x = *emitter.input(node, 0);
  if (x.dtype == DType::i8) return lower_lookup(emitter, node, f);
  const std::string name = stem(emitter, node);
  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  step.nodes = {node_id(emitter, node)};
  step.kernel = emitter.kernel({"piecewise_s16.c", "byoc_piecewise_s16", {}});
  StepText text;
  text.includes = {"byoc_piecewise_s16.h"};
  const std::string in = operand(emitter, step, node.inputs[0], name + "_x");
  const auto factor = [](const Multiplier& m) {
    return "{" + std::to_string(m.q) + ", " + std::to_string(m.shift) + "}";
  };
  text.parameters = {ParameterText()
                         .add("count", x.elements())
                         .add("above", factor(f.above))
                         .add("below", factor(f.below))
                         .add("flip", f.flip ? 1 : 0)
                         .add("min", f.clamp.low)
                         .add("max", f.clamp.high)
                         .definition("byoc_piecewise_s16_t", step.symbol + "_params")};
  text.body = "  " + step.kernel + "(&" + step.symbol + "_params, " + in + ", out0);\n";
  if (!x.is_constant) step.overlays = {{0, 0}};
  step.outputs = {{node.outputs[0]}};
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace

Verdict accepts_same_type(const Region& region, const Node& node) {
  const Value &x = region.values[node.inputs[0]], &y = region.values[node.outputs[0]];
  if (region.requant != Requant::tflite)
    return refuse(Reason::unsupported_quantisation, "found a quantised operand, expected a plain one");
  for (const Value* v : {&x, &y}) {
    if (auto no = refuse_unless_quantised(*v, v == &y ? "output" : "input")) return *no;
    if (v->dtype != x.dtype || v->dtype == DType::u8) return refuse_dtype(v->dtype, "i8 or i16, the same everywhere");
  }
  return claim();
}

Verdict accepts_piecewise(const Region& region, const Node& node) {
  const Verdict types = accepts_same_type(region, node);
  if (!types.claimed) return types;
  for (std::size_t i = 1; node.op == "Clip" && i <= 2; ++i)
    if (const Value* bound = given_input(region, node, i))
      if (!bound->is_constant || bound->dtype != DType::f32 || bound->elements() != 1)
        return refuse(Reason::not_constant, "bounds: found a computed value, expected constant f32 scalars");
  const Piecewise f = node.op == "Clip" ? read_clip(region, node) : read_piecewise(region, node);
  for (const Multiplier* m : {&f.above, &f.below})
    if (m->shift > 30)
      return refuse(Reason::unsupported_quantisation,
                    "found a multiplier of 2^" + std::to_string(m->shift) + ", expected below 2^30");
  return claim();
}

bool lower_piecewise(Emitter& emitter, const Node& node) {
  return lower_piecewise(emitter, node,
                         node.op == "Clip" ? read_clip(emitter.region, node) : read_piecewise(emitter.region, node));
}

}  // namespace byoc::c
