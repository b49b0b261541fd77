// gemmlowp's fixed-point functions, for tables made at export. Q<n> is an int32 with n integer bits.
#pragma once

#include <array>
#include <cstdint>

namespace byoc::c {

// round(a * b / 2^31), halves up.
[[nodiscard]] std::int32_t high_mul(std::int32_t a, std::int32_t b);
// x / 2^n to nearest, halves away from zero. n in [0, 62].
[[nodiscard]] std::int32_t divide_pot(std::int32_t x, int n);

// Q4 to Q0.
[[nodiscard]] std::int32_t logistic_q31(std::int32_t x);
[[nodiscard]] std::int32_t tanh_q31(std::int32_t x);

// 65536 * sigmoid(i / 24), at most 65535: what the 16-bit logistic function and hyperbolic tangent interpolate.
[[nodiscard]] std::array<std::uint16_t, 256> sigmoid_table();
// 512 steps of `f` over [low, high] and a last entry for the slope, as 16-bit fractions. In float32, as upstream.
[[nodiscard]] std::array<std::int16_t, 513> table_s16(float (*f)(float), float low, float high);

}  // namespace byoc::c
