// byoc.L2Normalization: rows along the last dimension, divided by their Euclidean length.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"
#include "sdk/model/evaluate/sum.hpp"

namespace byoc::evaluate {
namespace {

// A length below this counts as this.
constexpr float kEpsilon = 1e-6F;

Outcome normalise_reals(const Call& call, std::size_t length) {
  const Tensor& x = call.in(0);
  if (x.type.dtype != DType::f32) return call.unsupported_dtype(0, "f32, or i8 with quantisation");
  std::vector<float> values = reals<float>(x);
  for (std::size_t row = 0; row < values.size(); row += length) {
    BlockSum<float> sum;
    for (std::size_t i = 0; i < length; ++i) sum.add(values[row + i] * values[row + i]);
    const float norm = std::max(std::sqrt(sum.total()), kEpsilon);
    for (std::size_t i = 0; i < length; ++i) values[row + i] /= norm;
  }
  return single(call.from_reals(DType::f32, *x.type.dims, values));
}

// TFLite: integers, the result in 1/128.
Outcome normalise_i8(const Call& call, std::size_t length) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  if (!call.tflite() || call.in(0).type.dtype != DType::i8 || call.declared()->dtype != DType::i8)
    return call.unsupported_dtype(0, "i8 in a TFLite graph");
  if (out->scale != 1.0F / 128 || out->zero_point != 0)
    return call.error("the output quantisation is not the one that TFLite fixes for this operator",
                      "scale " + std::to_string(out->scale) + ", zero point " + std::to_string(out->zero_point),
                      "scale 1/128, zero point 0");
  if (length > 32768) return call.error("a row is too long", std::to_string(length), "at most 32768");
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::size_t row = 0; row < values.size(); row += length) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < length; ++i)
      sum += (values[row + i] - in->zero_point) * (values[row + i] - in->zero_point);
    Multiplier factor = inverse_square_root(static_cast<std::int32_t>(sum));
    factor.shift += 7;
    for (std::size_t i = 0; i < length; ++i) {
      std::int64_t& v = values[row + i];
      v = std::clamp<std::int64_t>(multiply_by_quantised(static_cast<std::int32_t>(v - in->zero_point), factor), -128,
                                   127);
    }
  }
  return single(from_integers(call, DType::i8, *call.in(0).type.dims, values));
}

}  // namespace

Outcome l2_normalization(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  if (dims.empty()) return call.error("a scalar has no rows", describe(call.in(0)));
  const auto length = static_cast<std::size_t>(std::max<std::int64_t>(dims.back(), 1));
  return is_quantised(call) ? normalise_i8(call, length) : normalise_reals(call, length);
}

}  // namespace byoc::evaluate
