// byoc.Rsqrt: 1 / sqrt(x).
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// The reciprocal of the root is computed by integer Newton steps. The result for zero is the largest integer. Upstream
// aborts for numbers below zero; here the result is the largest integer, too.
Outcome rsqrt_tflite(const Call& call) {
  const Result<Affine> in = affine_input(call, 0), out = affine_output(call);
  if (!in || !out) return failure;
  const DType dtype = call.in(0).type.dtype;
  if (!call.tflite() || (dtype != DType::i8 && dtype != DType::i16) || call.declared()->dtype != dtype)
    return call.unsupported_dtype(0, "i8 or i16 of a TFLite model");
  constexpr int kShift = 20;
  const Multiplier factor = quantise_multiplier(1.0 / static_cast<double>(std::sqrt(in->scale) * out->scale));
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    const auto x = static_cast<std::int32_t>(v - in->zero_point);
    v = out->range.high;
    if (x <= 0) continue;
    Multiplier root = inverse_square_root(x);
    root.shift += kShift;
    Multiplier scale = factor;
    scale.shift -= kShift;
    const std::int32_t q = multiply_by_quantised(multiply_by_quantised(1, root), scale);
    v = std::clamp(q + out->zero_point, out->range.low, out->range.high);
  }
  return single(from_integers(call, dtype, *call.in(0).type.dims, values));
}

}  // namespace

Outcome rsqrt(const Call& call) {
  if (is_quantised(call)) return rsqrt_tflite(call);
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  return with_sum_type(dtype, [&]<class Real>() {
    std::vector<Real> values = reals<Real>(call.in(0));
    for (Real& v : values) v = Real{1} / std::sqrt(v);
    return single(call.from_reals(dtype, *call.in(0).type.dims, values));
  });
}

}  // namespace byoc::evaluate
