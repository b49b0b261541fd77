// How TensorFlow Lite turns real scales into the integers that its kernels, and the device, compute with.
#pragma once

#include <cstdint>

#include "npu_isa.h"

namespace npu {

// factor > 0 as value * 2^(shift - 31) with value in [2^30, 2^31); below 2^-32 it is zero.
[[nodiscard]] npu_factor_t to_factor(double factor);

// The integer of a real value, saturated to int8.
[[nodiscard]] std::int32_t quantise(float value, float scale, std::int64_t zero_point);

}  // namespace npu
