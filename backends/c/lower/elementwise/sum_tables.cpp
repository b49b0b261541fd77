#include "backends/c/lower/elementwise/sum_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace byoc::c {

using codegen::Value;

namespace {

// An element by its bits as int8_t, without its zero point.
std::int32_t element(const Value& v, std::int32_t bits) {
  return (v.dtype == DType::u8 ? static_cast<std::int32_t>(static_cast<std::uint8_t>(bits)) : bits) - affine(v).zero;
}

// The float result before the clamp; as the kernel for floats computes it.
double float_sum(float a, float b, float out_scale) { return std::nearbyint(static_cast<double>((a + b) / out_scale)); }

// The least x that `out` turns into y, -255 to 256; a right shift of 22 at most keeps it within 32 bits.
std::int64_t least_for(std::int32_t y, const Multiplier& out) {
  std::int32_t x = (2 * y - 1) * (1 << -out.shift);
  while (multiply(x, out) >= y) --x;
  while (multiply(x, out) < y) ++x;
  return x;
}

}  // namespace

std::vector<float> real_table(const Value& v, int sign) {
  std::vector<float> table;
  for (std::int32_t q = -128; q <= 127; ++q)
    table.push_back(static_cast<float>(sign) * (static_cast<float>(element(v, q)) * affine(v).scale));
  return table;
}

std::vector<std::int32_t> integer_table(const Value& v, const Multiplier& m, PairOperator op, int sign) {
  std::vector<std::int32_t> table;
  for (std::int32_t q = -128; q <= 127; ++q)
    table.push_back(op == PairOperator::multiply ? element(v, q)
                                                 : sign * multiply(element(v, q) * (1 << tflite::kSumLeftShift), m));
  return table;
}

std::optional<FittedSum> fit_sum(const Value& a, const Value& b, const Value& y, int sign) {
  const std::vector<float> reals0 = real_table(a, 1), reals1 = real_table(b, sign);
  const double step = affine(y).scale;
  double most = 0;
  for (const auto* table : {&reals0, &reals1}) {
    const auto [least, largest] = std::minmax_element(table->begin(), table->end());
    most += static_cast<double>(std::max(std::abs(*least), std::abs(*largest))) / step;
  }
  const int bits = std::min(22, 28 - std::ilogb(most + 1));
  if (bits < 1) return std::nullopt;
  FittedSum fitted{{}, {}, {1 << 30, -bits}};
  const double unit = std::ldexp(1.0, bits + 1) / step;
  for (const float r : reals1) fitted.table1.push_back(static_cast<std::int32_t>(std::lround(r * unit)));
  const std::int32_t zero = affine(y).zero, low = (y.dtype == DType::u8 ? 0 : -128) - zero, high = low + 255;
  std::vector<std::int64_t> least;  // of each result, and of the one above all
  for (std::int32_t r = low; r <= high + 1; ++r) least.push_back(least_for(r, fitted.out));
  least.front() = std::numeric_limits<std::int32_t>::min();
  least.back() = std::numeric_limits<std::int32_t>::max();
  for (const float r : reals0) {
    auto from = static_cast<std::int64_t>(std::numeric_limits<std::int32_t>::min()), to = -from;
    for (std::size_t i = 0; i < reals1.size(); ++i) {
      const double result = std::clamp<double>(float_sum(r, reals1[i], affine(y).scale), low, high);
      const auto at = static_cast<std::size_t>(static_cast<std::int32_t>(result) - low);
      from = std::max(from, least[at] - fitted.table1[i]);
      to = std::min(to, least[at + 1] - 1 - fitted.table1[i]);
    }
    if (from > to) return std::nullopt;
    fitted.table0.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(std::llround(r * unit), from, to)));
  }
  return fitted;
}

}  // namespace byoc::c
