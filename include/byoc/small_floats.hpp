// Floats of fewer than 16 bits, as facts: what stores, converts or prints them is made from these rows. Standard
// headers only.
#pragma once

#include "byoc/types.hpp"

namespace byoc {

// The meaning of the bit patterns at the end of a format's range.
enum class FloatSpecials {
  ieee,           // the largest exponent: infinity, and NaN where the mantissa is not 0
  nan,            // all bits but the sign: NaN; there is no infinity
  unsigned_zero,  // the sign alone: NaN; neither infinity nor -0
  none,           // all are numbers
};

// OCP 8-bit Floating Point Specification, OCP Microscaling Formats, and the types of the same name in onnx.proto. The
// value of an element is (-1)^sign * 2^(exponent - bias) * 1.mantissa, or 2^(1 - bias) * 0.mantissa where the exponent
// is 0. f8e8m0 has an exponent alone: 2^(exponent - bias) for all but NaN, no sign and no zero.
struct SmallFloat {
  DType dtype;
  int exponent_bits, mantissa_bits, bias;
  FloatSpecials specials;
  bool has_sign;
};

inline constexpr SmallFloat kSmallFloats[] = {
    {DType::f8e4m3fn, 4, 3, 7, FloatSpecials::nan, true},
    {DType::f8e4m3fnuz, 4, 3, 8, FloatSpecials::unsigned_zero, true},
    {DType::f8e5m2, 5, 2, 15, FloatSpecials::ieee, true},
    {DType::f8e5m2fnuz, 5, 2, 16, FloatSpecials::unsigned_zero, true},
    {DType::f8e8m0, 8, 0, 127, FloatSpecials::nan, false},
    {DType::f4e2m1, 2, 1, 1, FloatSpecials::none, true},
};

// Null for any other type.
[[nodiscard]] constexpr const SmallFloat* small_float(DType t) {
  for (const SmallFloat& f : kSmallFloats)
    if (f.dtype == t) return &f;
  return nullptr;
}

// Rounding to f8e8m0, as ONNX's attribute round_mode: to the next power of two, to the last one, or to the nearer one,
// from the middle on to the next.
enum class ScaleRounding { up, down, nearest };

}  // namespace byoc
