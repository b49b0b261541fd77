#include "sdk/model/evaluate/element.hpp"

#include <bit>
#include <cassert>

namespace byoc::evaluate {
namespace {

// A binary float with an implicit leading one: `fraction` explicit bits below it, exponents [1 - bias, bias].
struct Format {
  int fraction;
  int bias;
};
constexpr Format kFloat16{10, 15};
constexpr Format kBFloat16{7, 127};

double decode(std::uint16_t bits, Format format) {
  const int exponent = (bits >> format.fraction) & (2 * format.bias + 1);
  const int fraction = bits & ((1 << format.fraction) - 1);
  double magnitude = 0;
  if (exponent == 2 * format.bias + 1)
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, 1 - format.bias - format.fraction);
  else
    magnitude = std::ldexp(fraction + (1 << format.fraction), exponent - format.bias - format.fraction);
  return std::copysign(magnitude, bits >> 15 ? -1.0 : 1.0);
}

std::uint16_t encode(double value, Format format) {
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  const unsigned infinity = static_cast<unsigned>(2 * format.bias + 1) << format.fraction;
  auto pack = [&](unsigned magnitude) { return static_cast<std::uint16_t>(sign | magnitude); };
  if (std::isnan(value)) return pack(infinity | (1u << (format.fraction - 1)));
  if (std::isinf(value)) return pack(infinity);
  if (value == 0) return pack(0);
  // The weight of the last bit that the format keeps at this magnitude; below the normal range it stays put.
  const int exponent = std::max(std::ilogb(value), 1 - format.bias);
  // nearbyint rounds ties to even in the default mode. A carry into the next power of two is carried by the addition.
  const double steps = std::nearbyint(std::ldexp(std::fabs(value), format.fraction - exponent));
  if (exponent > format.bias) return pack(infinity);
  const auto count = static_cast<unsigned>(steps);
  const unsigned base = static_cast<unsigned>(exponent + format.bias - 1) << format.fraction;
  return pack(std::min(base + count, infinity));
}

}  // namespace

double widen(Float16 value) { return decode(value.bits, kFloat16); }
double widen(BFloat16 value) { return decode(value.bits, kBFloat16); }
Float16 to_float16(double value) { return {encode(value, kFloat16)}; }
BFloat16 to_bfloat16(double value) { return {encode(value, kBFloat16)}; }

IntegerRange integer_range(DType dtype) {
  const ElementRow& row = element_row(dtype);
  assert(row.bits <= 32 && (row.kind == ElementKind::whole || row.kind == ElementKind::natural));
  const bool is_signed = row.kind == ElementKind::whole;
  const std::int64_t half = std::int64_t{1} << (row.bits - 1);
  return {is_signed ? -half : 0, is_signed ? half - 1 : 2 * half - 1};
}

}  // namespace byoc::evaluate
