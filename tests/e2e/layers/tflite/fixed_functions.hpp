// gemmlowp's fixed-point numbers as what they are: integers over a power of two, every operation rounded from its exact
// result; and the functions that TensorFlow Lite's integer kernels compute in them.
#pragma once

#include <cstdint>

namespace byoc::test {

// raw / 2^(31 - bits), raw in 32 bits.
struct Fixed {
  std::int64_t raw = 0;
  int bits = 0;
};
// The nearest of a real number, which is in range.
[[nodiscard]] Fixed fixed(long double real, int bits);
// With as many integer bits, rounded halves away from zero, or saturated.
[[nodiscard]] Fixed rescaled(Fixed, int bits);
[[nodiscard]] Fixed operator*(Fixed, Fixed);
[[nodiscard]] Fixed operator+(Fixed, Fixed);
[[nodiscard]] Fixed operator-(Fixed, Fixed);

[[nodiscard]] Fixed exp_of_negative(Fixed);         // at most 0, with 1 to 5 bits; the result has none
[[nodiscard]] Fixed reciprocal_of_one_plus(Fixed);  // in [0, 1]
[[nodiscard]] Fixed sigmoid(Fixed);
[[nodiscard]] Fixed hyperbolic_tangent(Fixed);
[[nodiscard]] Fixed log_of(Fixed);  // 12 bits, at least 1; the result has 5
// 1 / sqrt(x) as value * 2^(shift - 31), of an integer.
struct InverseRoot {
  std::int64_t value;
  int shift;
};
[[nodiscard]] InverseRoot inverse_root(std::int64_t x);

// Entry i of 256 of the table that 16-bit kernels interpolate: nearly 65536 * sigmoid(i / 24).
[[nodiscard]] std::int64_t sigmoid_entry(std::int64_t i);

}  // namespace byoc::test
