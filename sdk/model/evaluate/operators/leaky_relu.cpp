// LeakyRelu.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/elementwise.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// TFLite: one multiplier for each sign, the scales combined in float32.
Outcome leaky_relu_tflite(const Call& call, float alpha) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  const Multiplier positive = quantise_multiplier(static_cast<double>(in->scale / out->scale));
  const float negative_factor = in->scale * alpha / out->scale;
  Multiplier negative = quantise_multiplier(static_cast<double>(std::fabs(negative_factor)));
  if (negative_factor < 0) negative.value = -negative.value;
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    const auto x = static_cast<std::int32_t>(v - in->zero_point);
    v = std::clamp(out->zero_point + multiply_by_quantised(x, x >= 0 ? positive : negative), out->range.low,
                   out->range.high);
  }
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

}  // namespace

Outcome leaky_relu(const Call& call) {
  const float alpha = call.node.real("alpha", 0.01F);
  if (is_quantised(call) && call.tflite()) return leaky_relu_tflite(call, alpha);
  return map_reals(call, [alpha](double x) { return x < 0 ? x * static_cast<double>(alpha) : x; });
}

}  // namespace byoc::evaluate
