// Lines against the requantisations that they stand for, sum by sum.
#include "backends/layers/sum_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "byoc/nodes/fixed_point.hpp"

namespace byoc::layers {
namespace {

std::int32_t clamped(std::int64_t y, const SumSteps& s) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(y, s.least, s.most));
}

std::int32_t by_line(const SumLine& line, int shift, std::int32_t sum, const SumSteps& s) {
  const std::int64_t high = ((std::int64_t{sum} + line.add) * line.scale >> 32) + line.start;
  return clamped(high >> shift, s);
}

void expect_same(const SumSteps& s, const SumLine& line, int shift) {
  for (std::int64_t sum = s.low; sum <= s.high; ++sum) {
    const auto x = static_cast<std::int32_t>(sum);
    ASSERT_EQ(by_line(line, shift, x, s), s.result(x)) << "sum " << sum << ", scale " << s.scale;
  }
}

// TensorFlow Lite's, with a scale of 2^-12 to 2^-3 and any zero point.
SumSteps tflite_steps(std::mt19937& random, std::int32_t zero) {
  const double scale = std::ldexp(1 + std::uniform_real_distribution<>()(random), -3 - static_cast<int>(random() % 10));
  const nodes::Multiplier m = nodes::quantise_multiplier(scale);
  SumSteps s;
  s.scale = std::ldexp(static_cast<double>(m.q), m.shift - 31);
  s.zero = zero;
  s.low = -static_cast<std::int64_t>(random() % 200000);
  s.high = static_cast<std::int64_t>(random() % 200000);
  s.result = [m, zero](std::int32_t x) { return std::clamp(nodes::multiply(x, m) + zero, -128, 127); };
  return s;
}

TEST(SumLine, twoRoundingsClampedAtTheZeroPointAreOne) {
  std::mt19937 random(1);
  int found = 0;
  for (int i = 0; i < 12; ++i) {
    const SumSteps s = tflite_steps(random, -128);
    const int shift = line_shift(s.scale);
    const auto line = fit_line(s, shift);
    if (!line) continue;
    ++found;
    expect_same(s, *line, shift);
  }
  EXPECT_GT(found, 9);
}

TEST(SumLine, aSmallerShiftLosesBitsOfTheScale) {
  std::mt19937 random(2);
  int found = 0;
  for (int i = 0; i < 12; ++i) {
    const SumSteps s = tflite_steps(random, -128);
    const int shift = line_shift(s.scale) - 3;
    if (const auto line = fit_line(s, shift)) {
      ++found;
      expect_same(s, *line, shift);
    }
  }
  EXPECT_GT(found, 3);
}

TEST(SumLine, halvesAwayFromZeroOnBothSidesAreNoLine) {
  std::mt19937 random(3);
  SumSteps s = tflite_steps(random, 0);
  s.low = -1000000;
  s.high = 1000000;
  EXPECT_FALSE(fit_line(s, line_shift(s.scale)));
}

TEST(SumLine, oneRoundingIsALineOnBothSides) {
  SumSteps s;
  s.scale = static_cast<double>(0.0123F);
  s.zero = 5;
  s.low = -30000;
  s.high = 30000;
  s.result = [](std::int32_t x) {
    return std::clamp(static_cast<std::int32_t>(std::nearbyint(static_cast<float>(x) * 0.0123F)) + 5, -128, 127);
  };
  const int shift = line_shift(s.scale);
  const auto line = fit_line(s, shift);
  ASSERT_TRUE(line);
  expect_same(s, *line, shift);
}

TEST(SumLine, aChannelThatIsConstantHasALine) {
  SumSteps s;
  s.scale = 0.001;
  s.low = 5;
  s.high = 9;
  s.result = [](std::int32_t) { return -128; };
  const auto line = fit_line(s, line_shift(s.scale));
  ASSERT_TRUE(line);
  expect_same(s, *line, line_shift(s.scale));
}

TEST(SumLine, whatHasNoMultiplierHasNoLine) {
  EXPECT_LT(line_shift(0.75), 0);
  EXPECT_EQ(line_shift(0.25), 0);
  SumSteps s;
  s.scale = 0.75;
  s.high = 100;
  s.result = [](std::int32_t) { return 0; };
  EXPECT_FALSE(fit_line(s, 0));
  s.scale = 0.001;
  s.high = std::int64_t{1} << 31;
  EXPECT_FALSE(fit_line(s, 0)) << "a sum that wraps";
}

}  // namespace
}  // namespace byoc::layers
