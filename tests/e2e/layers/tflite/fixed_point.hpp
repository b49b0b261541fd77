// The rounding primitives of reference TensorFlow Lite, written from their definitions in exact arithmetic.
#pragma once

#include <cstdint>

#include "tests/e2e/layers/tflite/tflite_model.hpp"

namespace byoc::test {

// value * 2^(shift - 31)
struct FixedFactor {
  std::int64_t value = 0;
  int shift = 0;
};
// The nearest of 32 bits, ties away from zero; 0 below 2^-32.
[[nodiscard]] FixedFactor fixed_factor(double factor);

// numerator / 2^bits to the nearest integer, ties away from zero.
[[nodiscard]] std::int64_t round_away(__int128 numerator, int bits);
// The same, ties towards plus infinity.
[[nodiscard]] std::int64_t round_up(__int128 numerator, int bits);

// x * factor in 32 bits: two roundings. What TensorFlow Lite leaves undefined (x * 2^shift beyond 32 bits) wraps.
[[nodiscard]] std::int64_t requantise(std::int64_t x, FixedFactor factor);
// x * factor of a 64-bit accumulator: the factor is reduced to 16 bits, one rounding.
[[nodiscard]] std::int64_t requantise_wide(std::int64_t x, FixedFactor factor);

struct IntRange {
  std::int64_t low, high;
};
// What a fused activation leaves of the output's integers, and of its floats.
[[nodiscard]] IntRange activation_range(ActivationFunctionType, const TensorData& out);
[[nodiscard]] float activate(ActivationFunctionType, float v);
[[nodiscard]] ActivationFunctionType random_activation(Random&);

}  // namespace byoc::test
