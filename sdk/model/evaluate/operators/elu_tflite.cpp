// Elu on 8-bit integers as TFLite tabulates it: float32 at set-up, halves away from zero.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators/tflite.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

Outcome elu_tflite(const Call& call) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  if (call.in(0).type.dtype != DType::i8 || call.declared()->dtype != DType::i8)
    return call.unsupported_dtype(0, "f32 or i8");
  if (call.node.real("alpha", 1.0F) != 1.0F)
    return call.error("attribute alpha", std::to_string(call.node.real("alpha", 1.0F)), "1");
  const float inverse_scale = 1 / out->scale;
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    const float x = in->scale * static_cast<float>(v - in->zero_point);
    const float y = x < 0 ? std::exp(x) - 1.0F : x;
    const float rounded = std::round(y * inverse_scale) + static_cast<float>(out->zero_point);
    v = static_cast<std::int64_t>(
        std::clamp(rounded, static_cast<float>(out->range.low), static_cast<float>(out->range.high)));
  }
  return single(from_integers(call, DType::i8, *call.in(0).type.dims, values));
}

}  // namespace byoc::evaluate
