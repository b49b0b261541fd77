// DynamicQuantizeLinear: u8 with the scale and zero point that the range of the values asks for, 0 among them.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

Outcome dynamic_quantize_linear(const Call& call) {
  if (call.in(0).type.dtype != DType::f32) return call.unsupported_dtype(0, "f32");
  const std::span<const float> x = elements<float>(call.in(0));
  float low = 0, high = 0;
  for (const float v : x) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  // All zeros: any scale will do.
  const float range = high - low;
  const float scale = range == 0 ? 1.0F : range / 255.0F;
  const Affine to{
      scale, static_cast<std::int64_t>(std::clamp(std::nearbyint(0.0F - low / scale), 0.0F, 255.0F)), {0, 255}};
  Result<Buffer> y = call.allocate(DType::u8, *call.in(0).type.dims, 0);
  Result<Buffer> y_scale = call.allocate(DType::f32, {}, 1);
  Result<Buffer> y_zero = call.allocate(DType::u8, {}, 2);
  if (!y || !y_scale || !y_zero) return failure;
  for (std::size_t i = 0; i < x.size(); ++i)
    y->as<std::uint8_t>()[i] = static_cast<std::uint8_t>(quantise(x[i], to, Requant::onnx));
  y_scale->as<float>()[0] = to.scale;
  y_zero->as<std::uint8_t>()[0] = static_cast<std::uint8_t>(to.zero_point);
  std::vector<Tensor> out;
  for (Buffer* b : {&*y, &*y_scale, &*y_zero}) out.push_back(std::move(*b).finish());
  return out;
}

}  // namespace byoc::evaluate
