// Types that the SDK and every codegen share. Standard headers only.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace byoc {

// Element type. The numbers are part of the text formats and of the C ABI: append only.
enum class DType : std::uint32_t {
  undefined = 0,
  f32 = 1,
  u8 = 2,
  i8 = 3,
  u16 = 4,
  i16 = 5,
  i32 = 6,
  i64 = 7,
  boolean = 8,
  f16 = 9,
  f64 = 10,
  u32 = 11,
  u64 = 12,
  bf16 = 13,
  i4 = 14,
  u4 = 15,
  i2 = 16,
  u2 = 17,
  f8e4m3fn = 18,
  f8e4m3fnuz = 19,
  f8e5m2 = 20,
  f8e5m2fnuz = 21,
  f8e8m0 = 22,
  f4e2m1 = 23,
  string = 24,  // of any length; in models that a host evaluates, never in what a codegen or a plug-in is asked
};

// Lengths that a run may give an open dimension, both ends included.
struct DimRange {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool operator==(const DimRange&) const = default;
};

// The meaning of an element's bits; a text has none.
enum class ElementKind : std::uint32_t { none, truth, natural, whole, real, text };

struct ElementRow {
  std::string_view name;  // in the text form, reports and diagnostics
  unsigned bits;
  ElementKind kind;
};

// Indexed by the number of the type.
inline constexpr ElementRow kElementTypes[] = {
    {"undefined", 0, ElementKind::none},  {"f32", 32, ElementKind::real},       {"u8", 8, ElementKind::natural},
    {"i8", 8, ElementKind::whole},        {"u16", 16, ElementKind::natural},    {"i16", 16, ElementKind::whole},
    {"i32", 32, ElementKind::whole},      {"i64", 64, ElementKind::whole},      {"bool", 8, ElementKind::truth},
    {"f16", 16, ElementKind::real},       {"f64", 64, ElementKind::real},       {"u32", 32, ElementKind::natural},
    {"u64", 64, ElementKind::natural},    {"bf16", 16, ElementKind::real},      {"i4", 4, ElementKind::whole},
    {"u4", 4, ElementKind::natural},      {"i2", 2, ElementKind::whole},        {"u2", 2, ElementKind::natural},
    {"f8e4m3fn", 8, ElementKind::real},   {"f8e4m3fnuz", 8, ElementKind::real}, {"f8e5m2", 8, ElementKind::real},
    {"f8e5m2fnuz", 8, ElementKind::real}, {"f8e8m0", 8, ElementKind::real},     {"f4e2m1", 4, ElementKind::real},
    {"string", 0, ElementKind::text},
};
inline constexpr std::uint32_t kElementTypeCount = sizeof kElementTypes / sizeof kElementTypes[0];
// The types that a codegen meets: all types with bits come before the type without.
inline constexpr std::uint32_t kNumericTypeCount = static_cast<std::uint32_t>(DType::string);

[[nodiscard]] constexpr const ElementRow& element_row(DType t) {
  const auto number = static_cast<std::uint32_t>(t);
  return kElementTypes[number < kElementTypeCount ? number : 0];
}

// Bits of one element; 0 for undefined and strings. Elements of fewer than 8 bits are stored packed, the first in the
// lowest bits.
[[nodiscard]] constexpr unsigned bit_width(DType t) { return element_row(t).bits; }

// "f32", "i8", "bool" ...
[[nodiscard]] constexpr std::string_view to_string(DType t) { return element_row(t).name; }

// Types that models store and convert but that nothing is computed in: integers of fewer than 8 bits, floats of fewer
// than 16.
[[nodiscard]] constexpr bool is_small(DType t) {
  const ElementRow& row = element_row(t);
  return row.bits != 0 && row.bits < (row.kind == ElementKind::real ? 16U : 8U);
}

// Affine quantisation of a tensor: real = scale * (q - zero_point).
// Per tensor: one scale, one zero point, axis -1. Per axis: one of each for every index of `axis`.
struct Quantisation {
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
  std::int32_t axis = -1;

  [[nodiscard]] bool per_axis() const { return axis >= 0; }
  bool operator==(const Quantisation&) const = default;
};

// The rounding of a quantised operator: TFLite's Q31 multiplier with two roundings, or ONNX's float scale with one
// round-half-to-even.
enum class Requant : std::uint32_t { tflite = 0, onnx = 1 };

// The limit of constant folding while a model is loaded: a node beyond it is computed at run time, or refused. 0: no
// limit.
struct FoldLimit {
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of the results; also what one node may take while it is computed
  std::uint64_t operations = std::uint64_t{1} << 32;  // multiply-accumulates, and 4 for each element read or written
};

// The preference of a codegen and of the memory plan.
enum class Objective : std::uint32_t { balanced = 0, speed = 1, size = 2 };

}  // namespace byoc
