// byoc.Rsqrt in TFLite's arithmetic: a table of 8 bits, a kernel of 16.
#include <algorithm>
#include <cmath>

#include "backends/c/lower/elementwise/fixed_reciprocal.hpp"
#include "backends/c/lower/elementwise/lookup_quantised.hpp"
#include "backends/c/lower/elementwise/unary_quantised.hpp"
#include "backends/c/lower/step/step_builder.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;

constexpr int kShift = 20;  // bits behind the point of the root's reciprocal

Multiplier output_factor(const Affine& in, const Affine& out) {
  const Multiplier m = quantise_multiplier(1.0 / static_cast<double>(std::sqrt(in.scale) * out.scale));
  // A number of 21 bits is 0 after a shift by 31 or more.
  return {m.q, std::max(m.shift - kShift, -31)};
}

// Rsqrt of the zero point is the largest integer. The reference stops the program for what is below it: the same here.
std::int64_t rsqrt(std::int32_t q, const Affine& in, const Affine& out) {
  const std::int32_t value = q - in.zero;
  if (value <= 0) return 127;
  const Multiplier root = inverse_square_root(value);
  const std::int32_t data = multiply(1, {root.q, root.shift + kShift});
  return std::int64_t{multiply(data, output_factor(in, out))} + out.zero;
}

}  // namespace

codegen::Verdict accepts_rsqrt_quantised(const Region& region, const Node& node) {
  const codegen::Verdict types = accepts_same_type(region, node);
  if (!types.claimed || region.values[node.inputs[0]].dtype == DType::i8) return types;
  const Affine in = affine(region.values[node.inputs[0]]), out = affine(region.values[node.outputs[0]]);
  if (in.zero != 0 || out.zero != 0)
    return refuse(Reason::unsupported_quantisation, "found a zero point, expected 0 for 16 bits");
  if (const int shift = output_factor(in, out).shift; shift > 30)
    return refuse(Reason::unsupported_quantisation,
                  "found a multiplier of 2^" + std::to_string(shift) + ", expected below 2^30");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_rsqrt_quantised(Emitter& emitter, const Node& node) {
  const Affine in = affine(*emitter.input(node, 0)), out = affine(emitter.value(node.outputs[0]));
  if (emitter.input(node, 0)->dtype == DType::i8)
    return lower_lookup(emitter, node, [&](std::int32_t q) { return rsqrt(q, in, out); });
  StepBuilder step(emitter, node);
  const std::string kernel = emitter.kernel({"rsqrt_s16.c", "byoc_rsqrt_s16", {}});
  const Multiplier factor = output_factor(in, out);
  ParameterText p;
  p.add("count", emitter.input(node, 0)->elements()).add("multiplier", factor.q).add("shift", factor.shift);
  step.text.includes.insert("byoc_rsqrt_s16.h");
  const std::string x = step.input(0), y = step.output(0);
  step.line(kernel + "(" + step.parameters("byoc_rsqrt_s16_t", p) + ", " + x + ", " + y + ");");
  step.overlay(0, 0);
  step.finish(kernel);
  return true;
}

}  // namespace byoc::c
