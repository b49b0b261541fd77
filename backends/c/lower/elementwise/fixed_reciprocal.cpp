#include "backends/c/lower/elementwise/fixed_reciprocal.hpp"

#include <algorithm>
#include <bit>

namespace byoc::c {
namespace {

std::int32_t product(std::int32_t a, std::int32_t b) {
  const std::int64_t ab = std::int64_t{a} * b;
  return static_cast<std::int32_t>((ab + (ab >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30))) /
                                   (std::int64_t{1} << 31));
}

// x * 2^bits.
std::int32_t scaled(std::int64_t x, int bits) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(x * (std::int64_t{1} << bits), -(std::int64_t{1} << 31), (std::int64_t{1} << 31) - 1));
}

}  // namespace

std::int32_t reciprocal_of_one_plus(std::int32_t a) {
  constexpr std::int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540, kOne = 1 << 29;  // 29 fractional bits
  const auto half = static_cast<std::int32_t>((std::int64_t{a} + 0x7fffffff + 1) / 2);
  std::int32_t x = k48Over17 + product(half, kMinus32Over17);
  for (int i = 0; i < 3; ++i) x += scaled(product(x, kOne - product(half, x)), 2);
  return scaled(x, 1);
}

Multiplier inverse_square_root(std::int32_t x) {
  if (x <= 1) return {0x7fffffff, 0};
  int shift = 11;
  for (; x >= 1 << 29; x /= 4) ++shift;
  const int pairs = (std::countl_zero(static_cast<std::uint32_t>(x)) - 1) / 2 - 1;
  shift -= pairs;
  x = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << (2 * pairs));
  // 28 fractional bits.
  const std::int32_t input = x >> 1, half_input = (input + 1) >> 1, three_halves = (1 << 28) + (1 << 27);
  std::int32_t root = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const std::int32_t cube = scaled(product(product(root, root), root), 6);
    root = scaled(std::int64_t{product(three_halves, root)} - product(half_input, cube), 3);
  }
  root = product(root, 1518500250);  // sqrt(1/2)
  if (shift < 0) return {static_cast<std::int32_t>(static_cast<std::uint32_t>(root) << -shift), 0};
  return {root, -shift};
}

}  // namespace byoc::c
