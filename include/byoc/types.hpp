// Types that the SDK and every codegen share. Standard headers only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace byoc {

// Element type. The numbers are part of the text formats and of the later C ABI: append only.
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
};

// Bits of one element; 0 for undefined. i4 and u4 are stored two to a byte, low nibble first.
[[nodiscard]] constexpr unsigned bit_width(DType t) {
  switch (t) {
    case DType::i4:
    case DType::u4: return 4;
    case DType::u8:
    case DType::i8:
    case DType::boolean: return 8;
    case DType::u16:
    case DType::i16:
    case DType::f16:
    case DType::bf16: return 16;
    case DType::f32:
    case DType::i32:
    case DType::u32: return 32;
    case DType::i64:
    case DType::f64:
    case DType::u64: return 64;
    case DType::undefined: return 0;
  }
  return 0;
}

// The name used in the text form, reports and diagnostics ("f32", "i8", "bool" ...).
[[nodiscard]] constexpr std::string_view to_string(DType t) {
  switch (t) {
    case DType::undefined: return "undefined";
    case DType::f32: return "f32";
    case DType::u8: return "u8";
    case DType::i8: return "i8";
    case DType::u16: return "u16";
    case DType::i16: return "i16";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
    case DType::boolean: return "bool";
    case DType::f16: return "f16";
    case DType::f64: return "f64";
    case DType::u32: return "u32";
    case DType::u64: return "u64";
    case DType::bf16: return "bf16";
    case DType::i4: return "i4";
    case DType::u4: return "u4";
  }
  return "undefined";
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

// Whose rounding a quantised operator follows: TFLite's Q31 multiplier with two roundings, or ONNX's
// float scale with one round-half-to-even.
enum class Requant : std::uint32_t { tflite = 0, onnx = 1 };

// What folding of constants may take in all, while a model is loaded: what goes beyond is computed at run time, or
// refused. 0: no limit.
struct FoldLimit {
  std::uint64_t bytes = std::uint64_t{1} << 30;  // of the results; also what one node may take while it is computed
  std::uint64_t operations = std::uint64_t{1} << 32;  // multiply-accumulates, and 4 for each element read or written
};

// What a codegen and the memory plan should prefer.
enum class Objective : std::uint32_t { balanced = 0, speed = 1, size = 2 };

}  // namespace byoc
