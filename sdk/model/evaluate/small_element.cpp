#include "sdk/model/evaluate/small_element.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sdk/model/ir/packed_elements.hpp"

namespace byoc::evaluate {
namespace {

unsigned mask_of(int bits) { return (1u << bits) - 1; }

// The code of the largest number, which is positive.
unsigned largest_code(const SmallFloat& f) {
  const unsigned all = mask_of(f.exponent_bits + f.mantissa_bits);
  if (f.specials == FloatSpecials::nan) return all - 1;
  if (f.specials == FloatSpecials::ieee) return all - mask_of(f.mantissa_bits) - 1;
  return all;
}

unsigned nan_code(const SmallFloat& f) {
  const unsigned all = mask_of(f.exponent_bits + f.mantissa_bits);
  if (f.specials == FloatSpecials::nan) return all;
  // The mantissa's highest bit is set, as in the quiet NaNs of wider floats.
  if (f.specials == FloatSpecials::ieee) return all - mask_of(f.mantissa_bits - 1);
  return all + 1;
}

// The code of a number that is larger than all numbers of the format.
unsigned overflow(const SmallFloat& f, bool saturate) {
  if (saturate || f.specials == FloatSpecials::none) return largest_code(f);
  return f.specials == FloatSpecials::ieee ? largest_code(f) + 1 : nan_code(f);
}

// A power of two: f8e8m0.
unsigned encode_scale(const SmallFloat& f, double value, SmallRounding rounding) {
  const double smallest = decode_small(f, 0), largest = decode_small(f, largest_code(f));
  if (value < 0 || (!rounding.saturate && (value < smallest || value > largest))) return nan_code(f);
  const double x = std::clamp(value, smallest, largest);
  const int exponent = std::ilogb(x);
  const double fraction = std::ldexp(x, -exponent) - 1;
  const bool next = rounding.scale == ScaleRounding::up        ? fraction > 0
                    : rounding.scale == ScaleRounding::nearest ? fraction >= 0.5
                                                               : false;
  return static_cast<unsigned>(exponent + f.bias) + (next ? 1 : 0);
}

}  // namespace

double decode_small(const SmallFloat& f, unsigned code) {
  if (code == nan_code(f) && f.specials != FloatSpecials::none) return std::nan("");
  const unsigned rest = code & mask_of(f.exponent_bits + f.mantissa_bits);
  const int exponent = static_cast<int>(rest >> f.mantissa_bits);
  const int mantissa = static_cast<int>(rest & mask_of(f.mantissa_bits));
  double magnitude = 0;
  if (!f.has_sign)
    magnitude = rest > largest_code(f) ? std::nan("") : std::ldexp(1, exponent - f.bias);
  else if (rest > largest_code(f))
    magnitude =
        f.specials == FloatSpecials::ieee && mantissa == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, 1 - f.bias - f.mantissa_bits);
  else
    magnitude = std::ldexp(mantissa + (1 << f.mantissa_bits), exponent - f.bias - f.mantissa_bits);
  return rest != code ? -magnitude : magnitude;
}

unsigned encode_small(const SmallFloat& f, double value, SmallRounding rounding) {
  if (std::isnan(value)) return nan_code(f);
  if (!f.has_sign) return encode_scale(f, value, rounding);
  unsigned magnitude = 0;
  if (std::fabs(value) > 2 * decode_small(f, largest_code(f))) {
    magnitude = overflow(f, rounding.saturate);
  } else if (value != 0) {
    // The weight of the last bit that the format keeps at this magnitude; below the normal range it stays put.
    const int exponent = std::max(std::ilogb(value), 1 - f.bias);
    // nearbyint rounds ties to even in the default mode. A carry into the next power of two is carried by the addition.
    const double steps = std::nearbyint(std::ldexp(std::fabs(value), f.mantissa_bits - exponent));
    magnitude = (static_cast<unsigned>(exponent + f.bias - 1) << f.mantissa_bits) + static_cast<unsigned>(steps);
    if (magnitude > largest_code(f)) magnitude = overflow(f, rounding.saturate);
  }
  // These formats have no -0: its code is the unsigned NaN.
  if (f.specials == FloatSpecials::unsigned_zero && (magnitude == 0 || magnitude == nan_code(f))) return magnitude;
  return magnitude | (std::signbit(value) ? 1u << (f.exponent_bits + f.mantissa_bits) : 0u);
}

std::vector<unsigned> codes(const Tensor& t) {
  return ir::unpack(t.bytes.bytes(), bit_width(t.type.dtype), static_cast<std::size_t>(t.type.elements()));
}

std::vector<std::byte> packed(DType dtype, std::span<const unsigned> bits) { return ir::pack(bits, bit_width(dtype)); }

double small_value(DType dtype, unsigned code) {
  if (const SmallFloat* f = small_float(dtype)) return decode_small(*f, code);
  const ElementRow& row = element_row(dtype);
  const bool negative = row.kind == ElementKind::whole && code >> (row.bits - 1) != 0;
  return static_cast<double>(code) - (negative ? std::ldexp(1, static_cast<int>(row.bits)) : 0);
}

unsigned small_code(DType dtype, std::int64_t value) {
  return static_cast<unsigned>(value) & mask_of(static_cast<int>(bit_width(dtype)));
}

}  // namespace byoc::evaluate
