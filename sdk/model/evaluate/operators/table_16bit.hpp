// TFLite's look-up tables for functions of 16-bit integers.
#pragma once

#include <array>
#include <cstdint>

namespace byoc::evaluate {

// 512 steps over the int16 range and a last entry for the slope; outputs are Q0.15.
class Table16 {
 public:
  // Table of f over [low, high], with TFLite's correction for the error half way between entries. All in float32, as in
  // the source: the result depends on the last bit of f where a value is close to a rounding boundary.
  Table16(float (*f)(float), float low, float high);
  // Linear interpolation.
  [[nodiscard]] std::int32_t look_up(std::int16_t x) const;

 private:
  std::array<std::int32_t, 513> entries_{};
};

// Nearly sigmoid(i / 24) as a 16-bit fraction for i = 0 ... 255: the logistic function and, by tanh(x) = 2 sigmoid(2x)
// - 1, the hyperbolic tangent on [-10.7, 10.7].
[[nodiscard]] const std::array<std::uint32_t, 256>& sigmoid_table();
// Linear interpolation in it on the magnitude: x in 1 / (3 * 4096), the result in 1 / 32768.
[[nodiscard]] std::int64_t sigmoid_16bit(std::int64_t x);
[[nodiscard]] std::int64_t tanh_16bit(std::int64_t x);

}  // namespace byoc::evaluate
