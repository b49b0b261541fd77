#include "sdk/model/evaluate/fixed_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace byoc::evaluate {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();

TEST(FixedPoint, quantisesMultipliers) {
  EXPECT_EQ(quantise_multiplier(0).value, 0);
  EXPECT_EQ(quantise_multiplier(0.5).value, 1 << 30);
  EXPECT_EQ(quantise_multiplier(0.5).shift, 0);
  EXPECT_EQ(quantise_multiplier(1).value, 1 << 30);
  EXPECT_EQ(quantise_multiplier(1).shift, 1);
  EXPECT_EQ(quantise_multiplier(0.75).value, 1610612736);
  // A mantissa that rounds up to 1 moves into the shift.
  EXPECT_EQ(quantise_multiplier(1 - std::ldexp(1.0, -40)).value, 1 << 30);
  EXPECT_EQ(quantise_multiplier(1 - std::ldexp(1.0, -40)).shift, 1);
  EXPECT_EQ(quantise_multiplier(std::ldexp(1.0, -40)).value, 0);
  EXPECT_EQ(quantise_multiplier(-0.75).value, -1610612736);
}

TEST(FixedPoint, roundsTheHighProductTowardsPlusInfinityOnTies) {
  EXPECT_EQ(rounding_doubling_high_mul(kMin, kMin), kMax);
  EXPECT_EQ(rounding_doubling_high_mul(1 << 30, 1), 1);    // 0.5 up
  EXPECT_EQ(rounding_doubling_high_mul(1 << 30, -1), 0);   // -0.5 up
  EXPECT_EQ(rounding_doubling_high_mul(1 << 30, -3), -1);  // -1.5 up
  EXPECT_EQ(rounding_doubling_high_mul(1 << 30, 7), 4);
}

TEST(FixedPoint, dividesByPowersRoundingHalfAway) {
  EXPECT_EQ(rounding_divide_by_pot(5, 1), 3);
  EXPECT_EQ(rounding_divide_by_pot(-5, 1), -3);
  EXPECT_EQ(rounding_divide_by_pot(-5, 2), -1);
  EXPECT_EQ(rounding_divide_by_pot(-6, 2), -2);
  EXPECT_EQ(rounding_divide_by_pot(7, 0), 7);
  EXPECT_EQ(rounding_divide_by_pot(kMin, 31), -1);
  EXPECT_EQ(rounding_divide_by_pot(kMax, 31), 1);
}

TEST(FixedPoint, roundsTwiceAsTheReferenceDoes) {
  // 5 * 0.3 with a multiplier of 0.6 and a right shift of 1: 3.0 (rounded from 3.0) then 1.5 to 2.
  EXPECT_EQ(multiply_by_quantised(5, quantise_multiplier(0.3)), 2);
  // 3 * 0.15: 0.6 * 2^-2; the product 1.8 becomes 2 and then 0.5 rounds away to 1, although 0.45 is nearer to 0.
  EXPECT_EQ(multiply_by_quantised(3, quantise_multiplier(0.15)), 1);
  EXPECT_EQ(multiply_by_quantised(-3, quantise_multiplier(0.15)), -1);
  EXPECT_EQ(multiply_by_quantised(100, quantise_multiplier(2.5)), 250);
  EXPECT_EQ(multiply_by_quantised(1000, quantise_multiplier(std::ldexp(1.0, -50))), 0);
}

TEST(FixedPoint, roundsWideAccumulatorsOnceWithSixteenBits) {
  // 3 * 0.15 with a single rounding is 0.
  EXPECT_EQ(multiply_by_quantised_wide(3, quantise_multiplier(0.15)), 0);
  EXPECT_EQ(multiply_by_quantised_wide(1, quantise_multiplier(0.5)), 1);   // half up
  EXPECT_EQ(multiply_by_quantised_wide(-1, quantise_multiplier(0.5)), 0);  // half up
  EXPECT_EQ(multiply_by_quantised_wide(std::int64_t{1} << 40, quantise_multiplier(0.25)), std::int64_t{1} << 38);
  // The largest multiplier stays below 1 with 16 bits: 32767/32768 of 2^20.
  EXPECT_EQ(multiply_by_quantised_wide(1 << 20, {kMax, 0}), (1 << 20) - 32);
}

// Against the real functions: the fixed-point forms are good to 3e-7: their exp is a polynomial of degree 4.
TEST(FixedPoint, approximatesTheTranscendentalFunctions) {
  for (int i = 1; i < 400; ++i) {
    const double x = -i * 0.037;
    const auto raw = static_cast<std::int32_t>(std::ldexp(x, 27));  // F<4>
    EXPECT_NEAR(std::ldexp(fixed_logistic(raw), -31), 1 / (1 + std::exp(-x)), 3e-7) << x;
    EXPECT_NEAR(std::ldexp(fixed_logistic(-raw), -31), 1 / (1 + std::exp(x)), 3e-7) << x;
    EXPECT_NEAR(std::ldexp(fixed_tanh(raw), -31), std::tanh(x), 3e-7) << x;
    EXPECT_NEAR(std::ldexp(fixed_tanh(-raw), -31), std::tanh(-x), 3e-7) << x;
    EXPECT_NEAR(std::ldexp(fixed_exp_of_negative(raw, 4), -31), std::exp(x), 3e-7) << x;
  }
  EXPECT_EQ(fixed_exp_of_negative(0, 5), kMax);
  EXPECT_EQ(fixed_logistic(0), 1 << 30);
  EXPECT_EQ(fixed_tanh(0), 0);
  for (int i = 0; i < 100; ++i) {
    const double x = i / 100.0;
    EXPECT_NEAR(std::ldexp(fixed_reciprocal_of_one_plus(static_cast<std::int32_t>(std::ldexp(x, 31))), -31),
                1 / (1 + x), 3e-7);
  }
}

TEST(FixedPoint, givesTheRadiusOfTheInput) {
  EXPECT_EQ(input_radius(5, 26), 31);
  EXPECT_EQ(input_radius(5, 20), 1984);
  EXPECT_EQ(input_radius(4, 30), 1);  // 15 / 8, rounded down
}

}  // namespace
}  // namespace byoc::evaluate
