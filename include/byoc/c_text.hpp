// Small pieces of C text that whoever emits C for byoc needs to write alike. Header only, standard headers only.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "byoc/types.hpp"

namespace byoc {

// The C type of an element of a declared buffer. bool and 4-bit pairs are uint8_t, 16-bit floats their bits.
[[nodiscard]] constexpr std::string_view c_type(DType t) {
  switch (t) {
    case DType::f32: return "float";
    case DType::f64: return "double";
    case DType::i8: return "int8_t";
    case DType::i16: return "int16_t";
    case DType::i32: return "int32_t";
    case DType::i64: return "int64_t";
    case DType::u16:
    case DType::f16:
    case DType::bf16: return "uint16_t";
    case DType::u32: return "uint32_t";
    case DType::u64: return "uint64_t";
    case DType::u8:
    case DType::boolean:
    case DType::i4:
    case DType::u4: return "uint8_t";
    case DType::undefined: return "void";
  }
  return "void";
}

// A finite float as a literal that reads back to the same bits, with the f suffix: "0.1f".
[[nodiscard]] inline std::string c_float(float f) {
  char text[64];
  std::string out(text, std::to_chars(text, text + sizeof text, f).ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out + "f";
}

// Text that is safe inside a C comment, on one line: control bytes, comment marks, '\' and '?' become '_'.
[[nodiscard]] inline std::string c_comment(std::string_view text) {
  std::string out;
  for (char ch : text) {
    const auto u = static_cast<unsigned char>(ch);
    const bool ends = !out.empty() && ((out.back() == '*' && ch == '/') || (out.back() == '/' && ch == '*'));
    out += u < 0x20 || u >= 0x7f || ch == '\\' || ch == '?' || ends ? '_' : ch;
  }
  return out;
}

}  // namespace byoc
