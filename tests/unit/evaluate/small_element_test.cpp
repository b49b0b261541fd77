// Floats of at most 8 bits and integers of fewer, against a definition of their own: all values of a format in a list
// that is made from the formats' specifications, and the nearest of it found by search.
#include "sdk/model/evaluate/small_element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace byoc::evaluate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The specifications in other words: OCP 8-bit Floating Point (e4m3, e5m2), arXiv 2206.02915 (fnuz), OCP Microscaling
// (e2m1, e8m0). `largest` and `smallest` are the numbers that they name.
struct Format {
  DType dtype;
  unsigned bits, mantissa;
  double smallest;  // above 0
  double largest;
  unsigned nan;  // the code that NaN gets
  bool infinities, minus_zero;
};
const Format kFormats[] = {
    {DType::f8e4m3fn, 8, 3, 0x1p-9, 448, 0x7f, false, true},
    {DType::f8e4m3fnuz, 8, 3, 0x1p-10, 240, 0x80, false, false},
    {DType::f8e5m2, 8, 2, 0x1p-16, 57344, 0x7e, true, true},
    {DType::f8e5m2fnuz, 8, 2, 0x1p-17, 57344, 0x80, false, false},
    {DType::f4e2m1, 4, 1, 0.5, 6, 0x8, false, true},
};

// Numbers from 0 on in the order of their codes: each step doubles after 2^mantissa of them, but for the first.
std::vector<double> numbers(const Format& f) {
  std::vector<double> out{0};
  double step = f.smallest;
  for (unsigned i = 1; out.back() < f.largest; ++i) {
    const unsigned in_binade = 1u << f.mantissa;
    if (i >= 2 * in_binade && i % in_binade == 0) step *= 2;
    // The first number of a binade is one step of the last one behind its last.
    out.push_back(i % in_binade == 0 && i >= 2 * in_binade ? out.back() + step / 2 : out.back() + step);
  }
  return out;
}

unsigned sign_of(const Format& f) { return 1u << (f.bits - 1); }

// By comparing distances; of two that are as near, the even code.
unsigned nearest(const Format& f, double v, bool saturate) {
  if (std::isnan(v)) return f.nan;
  const std::vector<double> all = numbers(f);
  const auto last = static_cast<unsigned>(all.size() - 1);
  const double x = std::fabs(v);
  const unsigned sign = std::signbit(v) ? sign_of(f) : 0;
  // What would round to the number behind the last one, if there were one, is out of range.
  const double half_step = (all[last] - all[last - 1]) / 2;
  const bool out_of_range = x > all[last] + half_step || (x == all[last] + half_step && last % 2 != 0);
  if (out_of_range && !saturate && f.dtype != DType::f4e2m1) {
    if (f.infinities) return sign | (last + 1);
    return f.minus_zero ? sign | f.nan : f.nan;
  }
  unsigned best = 0;
  for (unsigned c = 1; c <= last; ++c) {
    const double is = std::fabs(x - all[c]), was = std::fabs(x - all[best]);
    if (is < was || (is == was && c % 2 == 0)) best = c;
  }
  if (x > f.largest) best = last;  // distances of very large numbers are all the same
  return best == 0 && !f.minus_zero ? 0 : sign | best;
}

const SmallFloat& row(const Format& f) { return *small_float(f.dtype); }

TEST(SmallElement, everyCodeIsTheNumberOfItsSpecification) {
  for (const Format& f : kFormats) {
    SCOPED_TRACE(to_string(f.dtype));
    const std::vector<double> all = numbers(f);
    ASSERT_EQ(all.back(), f.largest);
    for (unsigned c = 0; c < 1u << f.bits; ++c) {
      const unsigned rest = c & (sign_of(f) - 1);
      const double sign = c >= sign_of(f) ? -1 : 1, value = decode_small(row(f), c);
      if (!f.minus_zero && c == sign_of(f)) {
        EXPECT_TRUE(std::isnan(value));
      } else if (rest < all.size()) {
        EXPECT_EQ(value, sign * all[rest]) << c;
        EXPECT_EQ(std::signbit(value), sign < 0) << c;
      } else if (f.infinities && rest == all.size()) {
        EXPECT_EQ(value, sign * kInfinity) << c;
      } else {
        EXPECT_TRUE(std::isnan(value)) << c;
      }
      if (!std::isnan(value)) {
        EXPECT_EQ(encode_small(row(f), value, {.saturate = false}), c);
      }
    }
  }
}

TEST(SmallElement, roundsToTheNearestAtEveryBoundary) {
  for (const Format& f : kFormats) {
    SCOPED_TRACE(to_string(f.dtype));
    std::vector<double> all = numbers(f);
    all.push_back(all.back() + (all.back() - all[all.size() - 2]));  // where the next one would be
    std::vector<double> tried{kInfinity, std::nan(""), 1e30, 1e-30, 4e-46, 1e300, 1e-300};
    for (std::size_t i = 1; i < all.size(); ++i) {
      const double edge = (all[i - 1] + all[i]) / 2;
      for (const double v : {all[i], edge, std::nextafter(edge, 0), std::nextafter(edge, kInfinity)})
        tried.push_back(v);
    }
    for (const double v : tried)
      for (const double signed_v : {v, -v})
        for (const bool saturate : {true, false})
          EXPECT_EQ(encode_small(row(f), signed_v, {.saturate = saturate}), nearest(f, signed_v, saturate))
              << signed_v << (saturate ? " saturated" : "");
    EXPECT_EQ(encode_small(row(f), 0.0), 0u);
    EXPECT_EQ(encode_small(row(f), -0.0), f.minus_zero ? sign_of(f) : 0u);
  }
}

TEST(SmallElement, roundsRandomNumbersToTheNearest) {
  std::mt19937 random(7);
  for (const Format& f : kFormats)
    for (int i = 0; i < 4000; ++i) {
      const int reach = static_cast<int>(std::log2(f.largest / f.smallest)) + 6;
      const double v = std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random),
                                  static_cast<int>(random() % static_cast<unsigned>(reach))) *
                       f.smallest / 8;
      const bool saturate = i % 2 == 0;
      ASSERT_EQ(encode_small(row(f), v, {.saturate = saturate}), nearest(f, v, saturate)) << to_string(f.dtype) << v;
    }
}

TEST(SmallElement, scalesArePowersOfTwo) {
  const SmallFloat& f = *small_float(DType::f8e8m0);
  for (unsigned c = 0; c < 255; ++c) {
    const double v = std::ldexp(1, static_cast<int>(c) - 127);
    ASSERT_EQ(decode_small(f, c), v);
    for (const bool saturate : {true, false})
      for (const auto mode : {ScaleRounding::up, ScaleRounding::down, ScaleRounding::nearest})
        ASSERT_EQ(encode_small(f, v, {saturate, mode}), c);
    if (c == 254) continue;
    const double just_above = std::nextafter(v, kInfinity), middle = 1.5 * v, just_below = std::nextafter(middle, 0);
    EXPECT_EQ(encode_small(f, just_above, {true, ScaleRounding::up}), c + 1);
    EXPECT_EQ(encode_small(f, just_above, {true, ScaleRounding::down}), c);
    EXPECT_EQ(encode_small(f, just_above, {true, ScaleRounding::nearest}), c);
    EXPECT_EQ(encode_small(f, just_below, {true, ScaleRounding::nearest}), c);
    EXPECT_EQ(encode_small(f, middle, {true, ScaleRounding::nearest}), c + 1);
    EXPECT_EQ(encode_small(f, middle, {true, ScaleRounding::down}), c);
  }
  EXPECT_TRUE(std::isnan(decode_small(f, 255)));
  // ONNX's table of special values.
  const std::pair<double, unsigned> kOut[] = {{0.0, 0}, {kInfinity, 254}, {1e39, 254}, {0x1p-140, 0}};
  for (const auto& [v, saturated] : kOut) {
    EXPECT_EQ(encode_small(f, v, {true, ScaleRounding::up}), saturated) << v;
    EXPECT_EQ(encode_small(f, v, {false, ScaleRounding::nearest}), 255u) << v;
  }
  EXPECT_EQ(encode_small(f, std::nan("")), 255u);
  EXPECT_EQ(encode_small(f, -1.0), 255u);
  EXPECT_EQ(encode_small(f, -0.0), 0u);
}

TEST(SmallElement, integersAreTheirBits) {
  for (unsigned c = 0; c < 16; ++c) {
    EXPECT_EQ(small_value(DType::u4, c), c);
    EXPECT_EQ(small_value(DType::i4, c), c < 8 ? static_cast<double>(c) : static_cast<double>(c) - 16);
  }
  for (unsigned c = 0; c < 4; ++c) {
    EXPECT_EQ(small_value(DType::u2, c), c);
    EXPECT_EQ(small_value(DType::i2, c), c < 2 ? static_cast<double>(c) : static_cast<double>(c) - 4);
  }
  for (std::int64_t v = -20; v < 20; ++v) {
    EXPECT_EQ(small_code(DType::i4, v), static_cast<unsigned>((v + 32) % 16));
    EXPECT_EQ(small_code(DType::u2, v), static_cast<unsigned>((v + 32) % 4));
  }
}

}  // namespace
}  // namespace byoc::evaluate
