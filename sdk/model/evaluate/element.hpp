// Element types of tensors in C++: the 16-bit floats, and the way from a DType to a template.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "byoc/types.hpp"

namespace byoc::evaluate {

// IEEE 754 binary16 and bfloat16, storage only: arithmetic is done in double and rounded once.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

[[nodiscard]] double widen(Float16 value);
[[nodiscard]] double widen(BFloat16 value);
// Round to nearest, ties to even; too large becomes infinity.
[[nodiscard]] Float16 to_float16(double value);
[[nodiscard]] BFloat16 to_bfloat16(double value);

template <class T>
inline constexpr bool kIsFloat =
    std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class T>
  requires std::is_arithmetic_v<T>
[[nodiscard]] constexpr double widen(T value) {
  return static_cast<double>(value);
}

// The element nearest to a real number: floats round to nearest even, integers drop the fraction and saturate (the
// source frameworks leave out-of-range conversions undefined), NaN becomes integer 0, bool is "not zero".
template <class T>
[[nodiscard]] T narrow(double value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return to_float16(value);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return to_bfloat16(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    // 2^digits is exact in double for every integer type, max() is not.
    const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (std::isnan(value)) return 0;
    if (value >= above) return std::numeric_limits<T>::max();
    if (value <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return static_cast<T>(value);
  }
}

// Calls f.template operator()<T>() with the C++ type of `dtype`; false for types that have none: undefined, and small
// ones (small_element.hpp).
template <class F>
[[nodiscard]] bool dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32: f.template operator()<float>(); return true;
    case DType::f64: f.template operator()<double>(); return true;
    case DType::f16: f.template operator()<Float16>(); return true;
    case DType::bf16: f.template operator()<BFloat16>(); return true;
    case DType::u8: f.template operator()<std::uint8_t>(); return true;
    case DType::i8: f.template operator()<std::int8_t>(); return true;
    case DType::u16: f.template operator()<std::uint16_t>(); return true;
    case DType::i16: f.template operator()<std::int16_t>(); return true;
    case DType::u32: f.template operator()<std::uint32_t>(); return true;
    case DType::i32: f.template operator()<std::int32_t>(); return true;
    case DType::u64: f.template operator()<std::uint64_t>(); return true;
    case DType::i64: f.template operator()<std::int64_t>(); return true;
    case DType::boolean: f.template operator()<bool>(); return true;
    default: return false;
  }
}

[[nodiscard]] constexpr bool is_float(DType t) {
  return t == DType::f32 || t == DType::f64 || t == DType::f16 || t == DType::bf16;
}
[[nodiscard]] constexpr bool is_integer(DType t) {
  return t == DType::u8 || t == DType::i8 || t == DType::u16 || t == DType::i16 || t == DType::u32 || t == DType::i32 ||
         t == DType::u64 || t == DType::i64;
}

struct IntegerRange {
  std::int64_t low, high;
};
// The range of an integer type of at most 32 bits other than u32. The caller has checked the type.
[[nodiscard]] IntegerRange integer_range(DType dtype);

}  // namespace byoc::evaluate
