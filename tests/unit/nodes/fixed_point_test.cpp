// Multipliers and gemmlowp's functions, against their definitions in double.
#include "byoc/nodes/fixed_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace byoc::nodes {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();

double value_of(const Multiplier& m) { return std::ldexp(static_cast<double>(m.q), m.shift - 31); }

TEST(FixedPoint, multipliersHave31Bits) {
  EXPECT_EQ(quantise_multiplier(0), (Multiplier{0, 0}));
  EXPECT_EQ(quantise_multiplier(0.5), (Multiplier{1 << 30, 0}));
  EXPECT_EQ(quantise_multiplier(1), (Multiplier{1 << 30, 1}));
  EXPECT_EQ(quantise_multiplier(0.75), (Multiplier{1610612736, 0}));
  // A mantissa that rounds up to 1 moves into the shift.
  EXPECT_EQ(quantise_multiplier(1 - std::ldexp(1.0, -40)), (Multiplier{1 << 30, 1}));
  EXPECT_EQ(quantise_multiplier(std::ldexp(1.0, -32)), (Multiplier{1 << 30, -31}));
  EXPECT_EQ(quantise_multiplier(std::ldexp(0.9, -32)), (Multiplier{0, 0}));
  for (const double v : {0.1, 0.3333, 7.25, 1e-6, 12345.678})
    EXPECT_NEAR(value_of(quantise_multiplier(v)), v, v * 1e-9);
}

TEST(FixedPoint, productsRoundTwice) {
  EXPECT_EQ(multiply(10, quantise_multiplier(0.25)), 3);    // 2.5, halves away from zero
  EXPECT_EQ(multiply(-10, quantise_multiplier(0.25)), -3);  // -2.5
  EXPECT_EQ(multiply(1000, quantise_multiplier(2)), 2000);
  EXPECT_EQ(multiply(12345, quantise_multiplier(0.001)), 12);
  EXPECT_EQ(multiply(7, Multiplier{}), 0);
}

TEST(FixedPoint, wideMultipliersHave16Bits) {
  EXPECT_EQ(wide_multiplier(0.5), (Multiplier{1 << 14, 15}));
  // What would round to 2^15 stays below it.
  EXPECT_EQ(wide_multiplier(1 - std::ldexp(1.0, -20)).q, 0x7FFF);
  for (const double v : {0.1, 0.7, 3.0}) {
    const Multiplier m = wide_multiplier(v);
    EXPECT_NEAR(std::ldexp(m.q, -m.shift), v, v * 1e-4);
  }
}

TEST(FixedPoint, exactMultipliersAreTheFloat) {
  for (const float v : {0.1F, 0.75F, 3.3e-5F, 0.999F}) {
    const ExactMultiplier m = exact_multiplier(v, 1 << 20);
    EXPECT_EQ(static_cast<float>(value_of(m.multiplier)), v);
  }
  EXPECT_EQ(exact_multiplier(std::ldexp(1.0F, -33), kMax).multiplier, (Multiplier{0, 0}));
  EXPECT_EQ(exact_multiplier(1e20F, kMax).multiplier.shift, 30);
}

TEST(FixedPoint, tiesAreThereWhereASumCanBeHalfWay) {
  // A quarter: 2 * 0.25 is half way, 1 * 0.25 is not.
  EXPECT_TRUE(exact_multiplier(0.25F, 2).ties);
  EXPECT_FALSE(exact_multiplier(0.25F, 1).ties);
  // An odd number of 24 bits: only sums of 23 bits and more are.
  const float odd = 1.0F - std::ldexp(1.0F, -24);
  EXPECT_FALSE(exact_multiplier(odd, (1 << 23) - 1).ties);
  EXPECT_TRUE(exact_multiplier(odd, 1 << 23).ties);
  // Products with whole numbers are never half way.
  EXPECT_FALSE(exact_multiplier(4.0F, kMax).ties);
}

TEST(FixedPoint, highProductsRoundHalvesUpAndSaturate) {
  EXPECT_EQ(high_mul(kMin, kMin), kMax);
  EXPECT_EQ(high_mul(1 << 30, 1), 1);    // 0.5
  EXPECT_EQ(high_mul(1 << 30, -1), 0);   // -0.5
  EXPECT_EQ(high_mul(1 << 30, -3), -1);  // -1.5
  EXPECT_EQ(high_mul(1 << 30, 7), 4);
}

TEST(FixedPoint, dividesByPowersRoundingHalvesAway) {
  EXPECT_EQ(divide_pot(5, 1), 3);
  EXPECT_EQ(divide_pot(-5, 1), -3);
  EXPECT_EQ(divide_pot(-5, 2), -1);
  EXPECT_EQ(divide_pot(-6, 2), -2);
  EXPECT_EQ(divide_pot(7, 0), 7);
  EXPECT_EQ(divide_pot(kMin, 40), 0);
}

TEST(FixedPoint, functionsAreNearTheRealOnes) {
  EXPECT_EQ(logistic_q31(0), 1 << 30);
  EXPECT_EQ(tanh_q31(0), 0);
  for (const double x : {-12.0, -3.0, -0.7, -0.01, 0.3, 2.5, 11.0}) {
    const auto q4 = static_cast<std::int32_t>(std::lround(std::ldexp(x, 27)));
    EXPECT_NEAR(std::ldexp(logistic_q31(q4), -31), 1 / (1 + std::exp(-x)), 1e-7) << x;
    EXPECT_NEAR(std::ldexp(tanh_q31(q4), -31), std::tanh(x), 1e-7) << x;
    EXPECT_EQ(tanh_q31(-q4), -tanh_q31(q4)) << x;
  }
}

TEST(FixedPoint, tablesHoldTheFunctions) {
  const auto sigmoid = sigmoid_table();
  EXPECT_EQ(sigmoid[0], 32768);
  EXPECT_EQ(sigmoid[24], 47911);  // 65536 / (1 + exp(-1)), to nearest
  // TFLite's table is tuned for interpolation: it is not always the nearest integer.
  EXPECT_EQ(sigmoid[4], 35493);   // 35492.3
  EXPECT_EQ(sigmoid[16], 43304);  // 43303.4
  EXPECT_EQ(sigmoid[66], 61599);  // 61597.9, which is 61598
  EXPECT_EQ(sigmoid[255], 65535);
  int one_more = 0;
  for (std::size_t i = 0; i < sigmoid.size(); ++i) {
    const auto nearest = std::lround(65536 / (1 + std::exp(-static_cast<double>(i) / 24)));
    EXPECT_TRUE(sigmoid[i] == nearest || sigmoid[i] == nearest + 1) << i;
    one_more += sigmoid[i] - static_cast<int>(nearest);
  }
  EXPECT_EQ(one_more, 44);
  const auto line = table_s16([](float x) { return x; }, -1, 1);
  EXPECT_EQ(line[0], -32768);
  EXPECT_EQ(line[256], 0);
  EXPECT_EQ(line[384], 16384);
  EXPECT_EQ(line[512], 32767);  // 1 is one step too many
}

}  // namespace
}  // namespace byoc::nodes
