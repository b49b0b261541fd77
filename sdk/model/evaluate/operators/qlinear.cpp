#include "sdk/model/evaluate/operators/qlinear.hpp"

#include <cmath>

namespace byoc::evaluate {
namespace {

Result<void> check_scales(const Call& call, std::size_t scale) {
  if (call.in(scale).type.dtype != DType::f32) return call.unsupported_dtype(scale, "f32");
  for (const float s : elements<float>(call.in(scale)))
    if (!std::isfinite(s) || s <= 0)
      return call.error("a scale is out of range", std::to_string(s), "a positive finite number");
  const DType dtype = call.in(scale + 1).type.dtype;
  if (dtype != DType::i8 && dtype != DType::u8 && dtype != DType::i16 && dtype != DType::u16)
    return call.unsupported_dtype(scale + 1, "i8, u8, i16 or u16");
  return {};
}

}  // namespace

Result<Affine> qlinear_tensor(const Call& call, std::size_t scale) {
  if (!check_scales(call, scale)) return failure;
  for (const std::size_t i : {scale, scale + 1})
    if (call.in(i).type.elements() != 1)
      return call.error("input " + std::to_string(i) + " must have one element", describe(call.in(i)));
  return Affine{elements<float>(call.in(scale))[0], whole_numbers(call.in(scale + 1))[0],
                integer_range(call.in(scale + 1).type.dtype)};
}

Result<FilterScales> qlinear_channels(const Call& call, std::size_t scale, std::int64_t channels) {
  if (!check_scales(call, scale)) return failure;
  for (const std::size_t i : {scale, scale + 1})
    if (call.in(i).type.elements() != 1 && call.in(i).type.elements() != channels)
      return call.error("input " + std::to_string(i) + " must have one element, or one for each channel",
                        describe(call.in(i)), std::to_string(channels));
  const std::span<const float> scales = elements<float>(call.in(scale));
  return FilterScales{{scales.begin(), scales.end()}, whole_numbers(call.in(scale + 1))};
}

}  // namespace byoc::evaluate
