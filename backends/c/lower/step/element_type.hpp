// Element types in C: how each is stored, what it is computed in, and how its values are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "backends/c/emitter.hpp"

namespace byoc::c {

// 16-bit floats are stored as their bits, computed in float and rounded once. Integers are computed in their own type,
// where sums, differences and products wrap around in `bits`. bool is uint8_t, 0 or 1.
struct ElementType {
  DType dtype = DType::undefined;
  std::string_view storage;      // c_type(dtype): "uint16_t" for f16
  std::string_view work;         // "float" for f16; otherwise the storage
  std::string_view bits;         // integers and bool: "uint32_t" or "uint64_t"; floats: ""
  std::string_view load, store;  // kernels/byoc_element.h: between storage and work; "" where both are one

  [[nodiscard]] bool is_float() const { return bits.empty(); }
  [[nodiscard]] bool is_double() const { return work == "double"; }
  [[nodiscard]] bool is_signed() const;
};

// Null for what has no element of whole bytes: undefined and 4-bit types.
[[nodiscard]] std::optional<ElementType> element_type(DType);

[[nodiscard]] constexpr bool is_float_type(DType t) {
  return t == DType::f32 || t == DType::f64 || t == DType::f16 || t == DType::bf16;
}
[[nodiscard]] constexpr bool is_integer_type(DType t) {
  return t == DType::u8 || t == DType::i8 || t == DType::u16 || t == DType::i16 || t == DType::u32 || t == DType::i32 ||
         t == DType::u64 || t == DType::i64;
}

// Defines for a kernel that includes byoc_element.h: <prefix> the storage type, <prefix>_WORK, and
// <prefix>_LOAD(v) and <prefix>_STORE(v).
void define_element(Kernel&, const std::string& prefix, DType);
// The type that the kernel computes in, for its BYOC_F, BYOC_C, BYOC_WRAP, BYOC_LOWEST and BYOC_LARGEST.
void define_arithmetic(Kernel&, DType);

// A number in the work type of `t`, as a C expression: saturated for integers; infinities and NaN need <math.h>.
[[nodiscard]] std::string c_literal(DType t, double);
[[nodiscard]] std::string c_literal(DType t, std::int64_t);
[[nodiscard]] std::string c_literal(DType t, std::uint64_t);
// Element `i` of a constant value, in its work type.
[[nodiscard]] std::string c_element(const codegen::Value&, std::size_t i);
// The value of element `i` of a constant as a double (i64 and u64 beyond 2^53 are rounded).
[[nodiscard]] double real_element(const codegen::Value&, std::size_t i);

}  // namespace byoc::c
