// Source of the formulas: gemmlowp/fixedpoint/fixedpoint.h and tensorflow/lite/kernels/internal/common.h.
#include "backends/c/lower/quantise/fixed_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace byoc::c {
namespace {

constexpr std::int32_t kOne = std::numeric_limits<std::int32_t>::max();  // of Q0

std::int32_t saturate(std::int64_t x) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(x, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

// exp(a) in Q0 of a <= 0 with `integer_bits`: a polynomial around -1/8 for what is in [-1/4, 0), factors for the rest.
std::int32_t exp_q31(std::int32_t a, int integer_bits) {
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
std::int32_t two_over_one_plus(std::int32_t a) {
  const auto half = static_cast<std::int32_t>((std::int64_t{a} + kOne + 1) / 2);
  std::int32_t x = 1515870810 + high_mul(half, -1010580540);
  for (int i = 0; i < 3; ++i) x += saturate(std::int64_t{high_mul(x, (1 << 29) - high_mul(half, x))} * 4);
  return x;
}

}  // namespace

std::int32_t high_mul(std::int32_t a, std::int32_t b) { return saturate((std::int64_t{a} * b + (1 << 30)) >> 31); }

std::int32_t divide_pot(std::int32_t x, int n) {
  if (n == 0) return x;
  const std::int64_t half = std::int64_t{1} << (n - 1);
  return static_cast<std::int32_t>(x >= 0 ? (x + half) >> n : -((half - x) >> n));
}

std::int32_t logistic_q31(std::int32_t x) {
  if (x == 0) return 1 << 30;
  const std::int32_t above = saturate(std::int64_t{two_over_one_plus(exp_q31(x > 0 ? -x : x, 4))} * 2);
  return x > 0 ? above : kOne - above;
}

// (1 - e) / (1 + e) with e = exp(-2 |x|): twice x is x read with one integer bit more.
std::int32_t tanh_q31(std::int32_t x) {
  if (x == 0) return 0;
  const std::int32_t y = saturate((std::int64_t{two_over_one_plus(exp_q31(x > 0 ? -x : x, 5))} - (1 << 29)) * 4);
  return x > 0 ? y : -y;
}

std::array<std::uint16_t, 256> sigmoid_table() {
  std::array<std::uint16_t, 256> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint16_t>(
        std::min(std::floor(65536.0 / (1.0 + std::exp(static_cast<double>(i) / -24.0)) + 0.5), 65535.0));
  return out;
}

std::array<std::int16_t, 513> table_s16(float (*f)(float), float low, float high) {
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

}  // namespace byoc::c
