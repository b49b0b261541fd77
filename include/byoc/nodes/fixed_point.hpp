// Real numbers as integers compute with them: multipliers with a shift, gemmlowp's functions, tables of functions.
//
// Q<n> is an int32 with n bits before the point: x stands for x / 2^(31 - n). Sources of the formulas:
// gemmlowp/fixedpoint/fixedpoint.h, tensorflow/lite/kernels/internal/{common.h,quantization_util.cc}, and for `exact`
// the definition of ONNX's QLinear operators: the product, rounded once, half to even.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace byoc::nodes {

// value = q * 2^(shift - 31), q = 0 or in [2^30, 2^31).
struct Multiplier {
  std::int32_t q = 0;
  std::int32_t shift = 0;

  friend bool operator==(const Multiplier&, const Multiplier&) = default;
};

// The multiplier of a real value >= 0, rounded to 31 bits; 0 below 2^-32. TFLite's QuantizeMultiplier
// (tensorflow/lite/kernels/internal/quantization_util.cc), whose shift is not bounded above here.
[[nodiscard]] inline Multiplier quantise_multiplier(double value) {
  if (value == 0) return {};
  Multiplier out;
  int exponent = 0;
  auto q = static_cast<std::int64_t>(std::round(std::frexp(value, &exponent) * 2147483648.0));
  if (q == std::int64_t{1} << 31) {
    q /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  out.q = static_cast<std::int32_t>(q);
  out.shift = exponent;
  return out;
}

// x times the multiplier, with two roundings: TFLite's MultiplyByQuantizedMultiplier
// (tensorflow/lite/kernels/internal/common.h). x * 2^shift must fit an int32.
[[nodiscard]] inline std::int32_t multiply(std::int32_t x, const Multiplier& m) {
  const std::int64_t left = std::int64_t{x} << std::max(m.shift, 0);
  const std::int64_t high = (left * m.q + (std::int64_t{1} << 30)) >> 31;
  const int right = std::max(-m.shift, 0);
  if (right == 0) return static_cast<std::int32_t>(high);
  const std::int64_t half = std::int64_t{1} << (right - 1);
  return static_cast<std::int32_t>(high >= 0 ? (high + half) >> right : -((-high + half) >> right));
}

// For sums of 64 bits: value = q * 2^-shift with q of 16 bits, then one shift to the right. TFLite's
// MultiplyByQuantizedMultiplier of int64 (tensorflow/lite/kernels/internal/common.h).
[[nodiscard]] inline Multiplier narrowed(const Multiplier& m) {
  return {m.q >= 0x7FFF0000 ? 0x7FFF : (m.q + (1 << 15)) >> 16, 15 - m.shift};
}
[[nodiscard]] inline Multiplier wide_multiplier(double value) { return narrowed(quantise_multiplier(value)); }

// A float's 24 bits as a multiplier: what multiplies by it and rounds once is exact.
struct ExactMultiplier {
  Multiplier multiplier;
  bool ties = false;  // some sum may be half way between two results, which is even then
};

// `scale` > 0, and the largest |sum| that it multiplies. x * scale = x * odd * 2^(twos + exponent - 24) is half way
// only for an x that is an odd multiple of 2^(23 - exponent - twos). Shifts are at most 30: beyond, every sum but 0
// saturates 16 bits. Below 2^-31 it is 0: every sum rounds to 0.
[[nodiscard]] inline ExactMultiplier exact_multiplier(float scale, std::int64_t largest) {
  ExactMultiplier out;
  Multiplier& m = out.multiplier;
  const float fraction = std::frexp(scale, &m.shift);
  if (m.shift < -31) return {};
  m.q = static_cast<std::int32_t>(std::ldexp(static_cast<double>(fraction), 31));
  const int twos = std::countr_zero(static_cast<std::uint32_t>(m.q)) - 7;
  const int step = 23 - m.shift - twos;
  out.ties = step >= 0 && step <= 31 && largest >= std::int64_t{1} << step;
  m.shift = std::min(m.shift, 30);
  return out;
}

namespace detail {

inline constexpr std::int32_t kOne = std::numeric_limits<std::int32_t>::max();  // of Q0

inline std::int32_t saturate(std::int64_t x) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

}  // namespace detail

// round(a * b / 2^31), halves up, saturated: gemmlowp's SaturatingRoundingDoublingHighMul.
[[nodiscard]] inline std::int32_t high_mul(std::int32_t a, std::int32_t b) {
  return detail::saturate((std::int64_t{a} * b + (1 << 30)) >> 31);
}

// x / 2^n to nearest, halves away from zero. n in [0, 62]. gemmlowp's RoundingDivideByPOT.
[[nodiscard]] inline std::int32_t divide_pot(std::int32_t x, int n) {
  if (n == 0) return x;
  const std::int64_t half = std::int64_t{1} << (n - 1);
  return static_cast<std::int32_t>(x >= 0 ? (x + half) >> n : -((half - x) >> n));
}

namespace detail {

// exp(a) in Q0 of a <= 0 with `integer_bits`: a polynomial around -1/8 for what is in [-1/4, 0), factors for the rest.
inline std::int32_t exp_q31(std::int32_t a, int integer_bits) {
  if (a == 0) return kOne;
  const int fraction = 31 - integer_bits;
  const std::int32_t quarter = 1 << (fraction - 2);
  const std::int32_t part = (a & (quarter - 1)) - quarter;
  const std::int32_t rest = part - a;
  const std::int32_t x = saturate(std::int64_t{part} << integer_bits) + (1 << 28);
  const std::int32_t x2 = high_mul(x, x), x3 = high_mul(x2, x), x4 = high_mul(x2, x2);
  const std::int32_t tail = divide_pot(high_mul(divide_pot(x4, 2) + x3, 715827883) + x2, 1);
  std::int32_t y = 1895147668 + high_mul(1895147668, x + tail);
  constexpr std::int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (int e = 0; e < integer_bits + 2; ++e)
    if ((rest & (1 << (fraction - 2 + e))) != 0) y = high_mul(y, kFactors[e]);
  return y;
}

// 2 / (1 + a) in Q2 of a in [0, 1] in Q0: three Newton steps from 48/17 - 32/17 d.
inline std::int32_t two_over_one_plus(std::int32_t a) {
  const auto half = static_cast<std::int32_t>((std::int64_t{a} + kOne + 1) / 2);
  std::int32_t x = 1515870810 + high_mul(half, -1010580540);
  for (int i = 0; i < 3; ++i) x += saturate(std::int64_t{high_mul(x, (1 << 29) - high_mul(half, x))} * 4);
  return x;
}

}  // namespace detail

// 1 / (1 + exp(-x)) of x in Q4, in Q0. gemmlowp's logistic().
[[nodiscard]] inline std::int32_t logistic_q31(std::int32_t x) {
  if (x == 0) return 1 << 30;
  const std::int32_t above =
      detail::saturate(std::int64_t{detail::two_over_one_plus(detail::exp_q31(x > 0 ? -x : x, 4))} * 2);
  return x > 0 ? above : detail::kOne - above;
}

// The hyperbolic tangent of x in Q4, in Q0, as gemmlowp's tanh() has it: (1 - e) / (1 + e) with e = exp(-2 |x|): twice
// x is x read with one integer bit more.
[[nodiscard]] inline std::int32_t tanh_q31(std::int32_t x) {
  if (x == 0) return 0;
  const std::int32_t y =
      detail::saturate((std::int64_t{detail::two_over_one_plus(detail::exp_q31(x > 0 ? -x : x, 5))} - (1 << 29)) * 4);
  return x > 0 ? y : -y;
}

// The table that TFLite's 16-bit logistic function and hyperbolic tangent interpolate: 65536 * sigmoid(i / 24) to
// nearest, except some entries that are one more (tensorflow/lite/kernels/internal/common.cc, sigmoid_table_uint16).
[[nodiscard]] inline std::array<std::uint16_t, 256> sigmoid_table() {
  // Bit i % 64 of word i / 64: entry i is one more.
  constexpr std::uint64_t kOneMore[4] = {0xC0467BAEFA7BD110, 0x11009020440005, 0x80, 0x8000000000000000};
  std::array<std::uint16_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint16_t>(std::floor(65536.0 / (1.0 + std::exp(static_cast<double>(i) / -24.0)) + 0.5) +
                                        static_cast<double>(kOneMore[i / 64] >> (i % 64) & 1));
  return out;
}

// 512 steps of `f` over [low, high] and a last entry for the slope, as 16-bit fractions. In float32, as TFLite's
// gen_lut (tensorflow/lite/kernels/internal/common.h).
[[nodiscard]] inline std::array<std::int16_t, 513> table_s16(float (*f)(float), float low, float high) {
  std::array<std::int16_t, 513> out{};
  const float step = (high - low) / 512.0F;
  const auto fraction = [](float y) { return static_cast<std::int16_t>(std::clamp(y, -32768.0F, 32767.0F)); };
  for (int i = 0; i < 512; ++i) {
    const float at = low + static_cast<float>(i) * step;
    const float y = std::round(f(at) * 32768.0F);
    const float next = f(low + static_cast<float>(i + 1) * step) * 32768.0F;
    const float middle = std::round(f(at + step / 2) * 32768.0F);
    // Half of what linear interpolation is off in the middle of the step is taken off its start.
    const float error = std::round((next + y) / 2) - middle;
    out[static_cast<std::size_t>(i)] = fraction(y - std::round(error / 2));
  }
  out[512] = fraction(std::round(f(high) * 32768.0F));
  return out;
}

}  // namespace byoc::nodes
