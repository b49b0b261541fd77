// The integer arithmetic of TensorFlow Lite's reference kernels and of gemmlowp, which they use.
//
// F<n> below is a signed 32-bit fixed-point number with n integer bits and 31 - n fractional ones, kept as its raw
// int32. Sources of the formulas: tensorflow/lite/kernels/internal/{common.h,quantization_util.cc},
// gemmlowp/fixedpoint/fixedpoint.h.
#pragma once

#include <cstdint>

namespace byoc::evaluate {

// A positive real factor as multiplier * 2^(shift - 31), multiplier in [2^30, 2^31).
struct Multiplier {
  std::int32_t value = 0;
  int shift = 0;
};

// QuantizeMultiplier: the nearest Multiplier, rounding half away from zero; factors below 2^-32 become zero.
[[nodiscard]] Multiplier quantise_multiplier(double factor);

// floor-free doubling high half of the product: round(a * b / 2^31), saturating the one case that overflows.
[[nodiscard]] std::int32_t rounding_doubling_high_mul(std::int32_t a, std::int32_t b);
// x / 2^exponent, rounding half away from zero. exponent in [0, 31].
[[nodiscard]] std::int32_t rounding_divide_by_pot(std::int32_t x, int exponent);

// x times the factor with TFLite's two roundings.
[[nodiscard]] std::int32_t multiply_by_quantised(std::int32_t x, Multiplier m);
// x times the factor for 64-bit accumulators (16-bit activations): a 16-bit multiplier, one rounding.
[[nodiscard]] std::int64_t multiply_by_quantised_wide(std::int64_t x, Multiplier m);

// exp(a) for a <= 0: F<integer_bits> to F<0>. integer_bits in [1, 5].
[[nodiscard]] std::int32_t fixed_exp_of_negative(std::int32_t a, int integer_bits);
// 1 / (1 + x) for x in [0, 1): F<0> to F<0>.
[[nodiscard]] std::int32_t fixed_reciprocal_of_one_plus(std::int32_t x);
// The logistic function and the hyperbolic tangent: F<4> to F<0>.
[[nodiscard]] std::int32_t fixed_logistic(std::int32_t a);
[[nodiscard]] std::int32_t fixed_tanh(std::int32_t a);

// log(x) for x in [1, 2^12): F<12> to F<5>.
[[nodiscard]] std::int32_t fixed_log(std::int32_t x);
// 1 / sqrt(x) for x > 1; 1 for 0 and 1.
[[nodiscard]] Multiplier inverse_square_root(std::int32_t x);

// The largest |difference| that stays in F<integer_bits> after a left shift by `shift`.
[[nodiscard]] std::int32_t input_radius(int integer_bits, int shift);

}  // namespace byoc::evaluate
