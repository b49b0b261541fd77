#include "sdk/model/evaluate/fixed_point.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace byoc::evaluate {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();

std::int32_t saturate(std::int64_t x) { return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, kMin, kMax)); }

// The int32 that TFLite's int32 arithmetic leaves in practice when it overflows, which C++ leaves undefined.
std::int32_t wrap(std::int64_t x) { return static_cast<std::int32_t>(x); }

std::int32_t multiply(std::int32_t a, std::int32_t b) { return rounding_doubling_high_mul(a, b); }

// (a + b) / 2, rounding half away from zero.
std::int32_t rounding_half_sum(std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
}

// exp on [-1/4, 0): a Taylor polynomial around -1/8, F<0> to F<0>.
std::int32_t exp_on_last_quarter(std::int32_t a) {
  constexpr std::int32_t kExpOfMinusEighth = 1895147668;
  constexpr std::int32_t kOneThird = 715827883;
  const std::int32_t x = a + (1 << 28);
  const std::int32_t x2 = multiply(x, x);
  const std::int32_t x3 = multiply(x2, x);
  const std::int32_t x4 = multiply(x2, x2);
  const std::int32_t x4_over_4 = rounding_divide_by_pot(x4, 2);
  const std::int32_t tail = rounding_divide_by_pot(multiply(x4_over_4 + x3, kOneThird) + x2, 1);
  return kExpOfMinusEighth + multiply(kExpOfMinusEighth, x + tail);
}

// Three Newton steps towards 1 / d with d = (1 + a) / 2 in [1/2, 1); the result is F<2>.
std::int32_t newton_reciprocal(std::int32_t a) {
  constexpr std::int32_t k48Over17 = 1515870810;        // F<2>
  constexpr std::int32_t kMinus32Over17 = -1010580540;  // F<2>
  constexpr std::int32_t kOne = 1 << 29;                // F<2>
  const std::int32_t half_denominator = rounding_half_sum(a, kMax);
  std::int32_t x = k48Over17 + multiply(half_denominator, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    const std::int32_t error = kOne - multiply(half_denominator, x);
    // F<2> times F<2> is F<4>; back to F<2>.
    x += saturate(std::int64_t{multiply(x, error)} * 4);
  }
  return x;
}

}  // namespace

Multiplier quantise_multiplier(double factor) {
  if (factor == 0) return {};
  Multiplier m;
  const double mantissa = std::frexp(factor, &m.shift);
  auto value = static_cast<std::int64_t>(std::round(mantissa * 2147483648.0));
  if (value == std::int64_t{1} << 31) {
    value /= 2;
    ++m.shift;
  }
  if (m.shift < -31) return {};
  m.value = static_cast<std::int32_t>(value);
  return m;
}

std::int32_t rounding_doubling_high_mul(std::int32_t a, std::int32_t b) {
  if (a == kMin && b == kMin) return kMax;
  const std::int64_t ab = std::int64_t{a} * b;
  const std::int64_t nudge = ab >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30);
  return static_cast<std::int32_t>((ab + nudge) / (std::int64_t{1} << 31));
}

std::int32_t rounding_divide_by_pot(std::int32_t x, int exponent) {
  const auto mask = static_cast<std::int32_t>((std::int64_t{1} << exponent) - 1);
  const std::int32_t remainder = x & mask;
  const std::int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (remainder > threshold ? 1 : 0);
}

std::int32_t multiply_by_quantised(std::int32_t x, Multiplier m) {
  const int left = std::clamp(m.shift, 0, 31);
  const std::int32_t shifted = wrap(static_cast<std::int64_t>(static_cast<std::uint64_t>(std::int64_t{x}) << left));
  return rounding_divide_by_pot(rounding_doubling_high_mul(shifted, m.value), std::clamp(-m.shift, 0, 31));
}

std::int64_t multiply_by_quantised_wide(std::int64_t x, Multiplier m) {
  const std::int64_t reduced = m.value < 0x7FFF0000 ? (std::int64_t{m.value} + (1 << 15)) >> 16 : 0x7FFF;
  const int total = 15 - m.shift;
  // TFLite needs a shift below 8; the product of a wide accumulator wraps as its 64-bit arithmetic does.
  const auto product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(reduced);
  if (total < 1) return static_cast<std::int64_t>(product << std::min(-total, 63));
  const std::uint64_t half = std::uint64_t{1} << (total - 1);
  return static_cast<std::int64_t>(product + half) >> std::min(total, 63);
}

std::int32_t fixed_exp_of_negative(std::int32_t a, int integer_bits) {
  const int fractional_bits = 31 - integer_bits;
  const std::int32_t quarter = 1 << (fractional_bits - 2);
  const std::int32_t within = (a & (quarter - 1)) - quarter;  // in [-1/4, 0)
  std::int32_t result = exp_on_last_quarter(saturate(std::int64_t{within} * (std::int64_t{1} << integer_bits)));
  const std::int32_t remainder = within - a;  // a whole number of quarters
  // exp(-2^e) in F<0> for e = -2 ... 4: one factor for each bit of the remainder.
  constexpr std::array<std::int32_t, 7> kFactors = {1672461947, 1302514674, 790015084, 290630308,
                                                    39332535,   720401,     242};
  for (int e = -2; e <= 4 && e < integer_bits; ++e)
    if ((remainder & (1 << (fractional_bits + e))) != 0)
      result = multiply(result, kFactors[static_cast<std::size_t>(e + 2)]);
  return a == 0 ? kMax : result;
}

std::int32_t fixed_reciprocal_of_one_plus(std::int32_t x) {
  // 1 / (1 + x) is half of the Newton result: read as F<1>, brought to F<0>.
  return saturate(std::int64_t{newton_reciprocal(x)} * 2);
}

std::int32_t fixed_logistic(std::int32_t a) {
  if (a == 0) return 1 << 30;
  const std::int32_t magnitude = a > 0 ? a : wrap(-std::int64_t{a});
  const std::int32_t positive = fixed_reciprocal_of_one_plus(fixed_exp_of_negative(wrap(-std::int64_t{magnitude}), 4));
  return a > 0 ? positive : kMax - positive;
}

std::int32_t fixed_tanh(std::int32_t a) {
  if (a == 0) return 0;
  const std::int32_t negative = a < 0 ? a : -a;
  // tanh(n) = -(1 - e) / (1 + e) with e = exp(2n): 2n is n read with one integer bit more.
  const std::int32_t e = fixed_exp_of_negative(negative, 5);
  const std::int32_t ratio = saturate((std::int64_t{newton_reciprocal(e)} - (1 << 29)) * 4);
  return a < 0 ? -ratio : ratio;
}

std::int32_t fixed_log(std::int32_t x) {
  constexpr int kIn = 12, kOut = 5;
  constexpr int kSum = kOut + 1;                   // integer bits while terms are added
  constexpr std::int32_t kLog2 = 1488522236;       // F<0>, as all of these
  constexpr std::int32_t kRoot4Half = 1805811301;  // 2^(-1/4)
  constexpr std::int32_t kRootHalf = 1518500250;   // 2^(-1/2)
  constexpr std::int32_t kAlphaN = 117049297;      // 11/240 * 2^(1/4)
  constexpr std::int32_t kAlphaD = 127690142;      // 1/20 * 2^(1/4)
  constexpr std::int32_t kAlphaI = 1057819769;     // 2 * 2^(-1/4) - 2^(1/4)
  constexpr std::int32_t kAlphaF = 638450708;      // 1/4 * 2^(1/4)
  constexpr std::int32_t kQuarter = 1 << (29 - kSum);
  auto shift_left = [](std::int32_t a, int bits) {
    return saturate(static_cast<std::int64_t>(a) * (std::int64_t{1} << bits));
  };
  auto leading_zeros = [](std::int32_t a) { return std::countl_zero(static_cast<std::uint32_t>(a)); };
  // x = r * 2^k with r around 2^(-1/4), found in two ways whose ranges of r overlap.
  const int zeros_a = leading_zeros(x);
  const std::int32_t r_a = shift_left(multiply(shift_left(x, zeros_a - 1), kRootHalf), 1);
  const std::int32_t k_a = saturate(std::int64_t{shift_left(kIn - zeros_a, 31 - kSum)} + kQuarter);
  const int zeros_b = leading_zeros(multiply(x, kRootHalf)) - 1;
  const std::int32_t r_b = shift_left(x, zeros_b);
  const std::int32_t k_b = saturate(std::int64_t{shift_left(kIn - zeros_b, 31 - kSum)} - kQuarter);
  const std::int32_t r = std::min(r_a, r_b);
  const std::int32_t k = std::max(k_a, k_b);
  // log(r / 2^(-1/4)) as a quotient of polynomials.
  const std::int32_t p = rounding_half_sum(r, kRoot4Half);
  const std::int32_t q = wrap(2 * (std::int64_t{r} - kRoot4Half));
  const std::int32_t q2 = multiply(q, q);
  const std::int32_t numerator = wrap(std::int64_t{multiply(q, r)} + multiply(multiply(q, q2), kAlphaN));
  const std::int32_t factor = wrap(std::int64_t{kAlphaI} + q + multiply(kAlphaD, q2));
  const std::int32_t above_one = wrap(std::int64_t{multiply(p, factor)} + multiply(kAlphaF, q));
  const std::int32_t quotient =
      multiply(rounding_divide_by_pot(numerator, kSum), fixed_reciprocal_of_one_plus(above_one));
  return saturate((std::int64_t{multiply(k, kLog2)} + quotient) * 2);
}

Multiplier inverse_square_root(std::int32_t x) {
  if (x <= 1) return {kMax, 0};
  int right = 11;
  for (; x >= 1 << 29; ++right) x /= 4;
  // An even shift brings x to [2^27, 2^29): [1/2, 2) as F<3> after a halving.
  const int pairs = (std::countl_zero(static_cast<std::uint32_t>(x)) - 1) / 2 - 1;
  right -= pairs;
  x <<= 2 * pairs;
  const std::int32_t half = rounding_divide_by_pot(x >> 1, 1);
  constexpr std::int32_t kThreeHalves = (1 << 28) + (1 << 27);
  std::int32_t y = 1 << 28;  // F<3>: five Newton steps from 1
  for (int i = 0; i < 5; ++i) {
    const std::int32_t cube = saturate(std::int64_t{multiply(multiply(y, y), y)} * 64);  // F<9> to F<3>
    y = saturate((std::int64_t{multiply(kThreeHalves, y)} - multiply(half, cube)) * 8);  // F<6> to F<3>
  }
  constexpr std::int32_t kRootHalf = 1518500250;
  y = multiply(y, kRootHalf);
  if (right < 0) return {y << -right, 0};
  return {y, -right};
}

std::int32_t input_radius(int integer_bits, int shift) {
  const double rescaled = std::ldexp(static_cast<double>((1 << integer_bits) - 1), 31 - integer_bits - shift);
  return rescaled >= 2147483647.0 ? kMax : static_cast<std::int32_t>(std::floor(rescaled));
}

}  // namespace byoc::evaluate
