#include "tests/e2e/layers/tflite/fixed_functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "tests/e2e/layers/tflite/fixed_point.hpp"

namespace byoc::test {
namespace {

constexpr std::int64_t kLargest = (std::int64_t{1} << 31) - 1;

Fixed one(int bits) { return {bits == 0 ? kLargest : std::int64_t{1} << (31 - bits), bits}; }
Fixed halved(Fixed a) { return {round_away(a.raw, 1), a.bits}; }
Fixed saturated(__int128 raw, int bits) {
  return {static_cast<std::int64_t>(std::clamp<__int128>(raw, -kLargest - 1, kLargest)), bits};
}
// The same real number with other integer bits: the raw is exact.
Fixed reread(Fixed a, int bits) { return {a.raw, bits}; }

// exp on [-1/4, 0): 1 + x + x^2/2 + x^3/6 + x^4/24 around -1/8.
Fixed exp_near_zero(Fixed a) {
  const Fixed centre = fixed(expl(-0.125L), 0);
  const Fixed x = a + fixed(0.125L, 0);
  const Fixed x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
  const Fixed x4_over_4{round_away(x4.raw, 2), 0};
  const Fixed tail = halved((x4_over_4 + x3) * fixed(1.0L / 3, 0) + x2);
  return centre + centre * (x + tail);
}

// 2 / (1 + a) with 2 bits, by Newton's method from 48/17 - 32/17 d for 1/d.
Fixed newton(Fixed a) {
  const Fixed d{round_away(a.raw + kLargest, 1), 0};
  Fixed x = fixed(48.0L / 17, 2) + d * fixed(-32.0L / 17, 2);
  for (int i = 0; i < 3; ++i) x = x + rescaled(x * (one(2) - d * x), 2);
  return x;
}

}  // namespace

Fixed fixed(long double real, int bits) {
  return saturated(static_cast<__int128>(std::round(std::ldexp(real, 31 - bits))), bits);
}
Fixed rescaled(Fixed a, int bits) {
  if (bits >= a.bits) return {round_away(a.raw, bits - a.bits), bits};
  return saturated(static_cast<__int128>(a.raw) << (a.bits - bits), bits);
}
Fixed operator*(Fixed a, Fixed b) {
  return saturated(round_up(static_cast<__int128>(a.raw) * b.raw, 31), a.bits + b.bits);
}
Fixed operator+(Fixed a, Fixed b) { return {a.raw + b.raw, a.bits}; }
Fixed operator-(Fixed a, Fixed b) { return {a.raw - b.raw, a.bits}; }

Fixed exp_of_negative(Fixed a) {
  if (a.raw == 0) return one(0);
  // a = part - k / 4 with part in [-1/4, 0).
  const std::int64_t quarter = std::int64_t{1} << (29 - a.bits);
  const std::int64_t k = (-a.raw - 1) / quarter;
  const std::int64_t part = a.raw + k * quarter;
  // The kernel's part is never 0: at a whole number of quarters it is -1/4.
  const Fixed within{part, a.bits};
  Fixed y = exp_near_zero(rescaled(within, 0));
  for (int e = 0; e < a.bits + 2; ++e)
    if ((k >> e) & 1) y = y * fixed(expl(-std::ldexp(0.25L, e)), 0);
  return y;
}

Fixed reciprocal_of_one_plus(Fixed a) { return rescaled(reread(newton(a), 1), 0); }

Fixed sigmoid(Fixed a) {
  if (a.raw == 0) return {std::int64_t{1} << 30, 0};
  const Fixed above = reciprocal_of_one_plus(exp_of_negative({-std::abs(a.raw), a.bits}));
  return a.raw > 0 ? above : one(0) - above;
}

Fixed hyperbolic_tangent(Fixed a) {
  if (a.raw == 0) return {0, 0};
  // (1 - e) / (1 + e) = 2 / (1 + e) - 1 with e = exp(-2 |a|).
  const Fixed e = exp_of_negative({-std::abs(a.raw), a.bits + 1});
  const Fixed y = rescaled(newton(e) - one(2), 0);
  return a.raw > 0 ? y : Fixed{-y.raw, 0};
}

Fixed log_of(Fixed x) {
  const long double root4 = powl(2.0L, 0.25L);
  // x = r * 2^k: r in [1/2, 1) times sqrt(1/2) doubled, or of x * sqrt(1/2).
  auto zeros = [](std::int64_t v) {
    int n = 0;
    for (; n < 32 && ((v >> (31 - n)) & 1) == 0; ++n) {
    }
    return n;
  };
  const Fixed root_half = fixed(sqrtl(0.5L), 0);
  const int za = zeros(x.raw);
  const Fixed ra = saturated(static_cast<__int128>((Fixed{x.raw << (za - 1), 0} * root_half).raw) * 2, 0);
  const Fixed ka = fixed(12 - za + 0.25L, 6);
  const int zb = zeros((Fixed{x.raw, 0} * root_half).raw) - 1;
  const Fixed rb = saturated(static_cast<__int128>(x.raw) << zb, 0);
  const Fixed kb = fixed(12 - zb - 0.25L, 6);
  const Fixed r{std::min(ra.raw, rb.raw), 0}, k{std::max(ka.raw, kb.raw), 6};
  const Fixed centre = fixed(1 / root4, 0);
  const Fixed p{round_away(r.raw + centre.raw, 1), 0};
  const Fixed q{2 * (r.raw - centre.raw), 0};
  const Fixed q2 = q * q;
  const Fixed above = q * r + q * q2 * fixed(11.0L / 240 * root4, 0);
  const Fixed below = p * (fixed(2 / root4 - root4, 0) + q + fixed(root4 / 20, 0) * q2) + fixed(root4 / 4, 0) * q;
  return rescaled(k * fixed(logl(2.0L), 0) + rescaled(above, 6) * reciprocal_of_one_plus(below), 5);
}

InverseRoot inverse_root(std::int64_t x) {
  if (x <= 1) return {kLargest, 0};
  int shift = -11;
  while (x >= std::int64_t{1} << 29) {
    x /= 4;
    --shift;
  }
  while (x < std::int64_t{1} << 27) {
    x *= 4;
    ++shift;
  }
  const Fixed half = halved({x / 2, 3});
  Fixed y = one(3);
  for (int i = 0; i < 5; ++i) y = rescaled(fixed(1.5L, 3) * y - half * rescaled(y * y * y, 3), 3);
  y = y * fixed(sqrtl(0.5L), 0);
  if (shift > 0) return {y.raw << shift, 0};
  return {y.raw, shift};
}

// The table is given, not computed: it is off the nearest integer by one where this says so, run by run.
std::int64_t sigmoid_entry(std::int64_t i) {
  static constexpr std::pair<std::int64_t, std::int64_t> kRaised[] = {
      {4, 4},   {8, 8},   {12, 12},   {14, 17},   {19, 22},   {25, 25},   {27, 31},   {33, 35},
      {37, 37}, {39, 41}, {43, 46},   {49, 50},   {54, 54},   {62, 64},   {66, 66},   {82, 82},
      {86, 86}, {93, 93}, {100, 100}, {103, 103}, {112, 112}, {116, 116}, {135, 135}, {255, 255}};
  const std::int64_t nearest = std::llround(65536.0L / (1.0L + std::exp(-static_cast<long double>(i) / 24)));
  return nearest + std::ranges::count_if(kRaised, [&](const auto& r) { return r.first <= i && i <= r.second; });
}

}  // namespace byoc::test
