#include "fixed_point.hpp"

#include <algorithm>
#include <cmath>

namespace npu {

npu_factor_t to_factor(double factor) {
  int shift = 0;
  const double mantissa = std::frexp(factor, &shift);
  auto value = static_cast<std::int64_t>(std::round(std::ldexp(mantissa, 31)));
  if (value == std::int64_t{1} << 31) {
    value /= 2;
    ++shift;
  }
  if (value == 0 || shift < -31) return {0, 0};
  return {static_cast<std::int32_t>(value), shift};
}

std::int32_t quantise(float value, float scale, std::int64_t zero_point) {
  const double q = static_cast<double>(std::round(value / scale)) + static_cast<double>(zero_point);
  return static_cast<std::int32_t>(std::clamp(q, -128.0, 127.0));
}

}  // namespace npu
