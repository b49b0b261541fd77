// Small pieces of C text that whoever emits C for byoc needs to write alike. Header only, standard headers only.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

#include "byoc/types.hpp"

namespace byoc {

// The C type of an element of a declared buffer. bool and floats below 32 bits are integers of their width; what is
// smaller than a byte is uint8_t, as many to one as there are in it.
[[nodiscard]] constexpr std::string_view c_type(DType t) {
  const ElementRow& row = element_row(t);
  if (row.kind == ElementKind::none) return "void";
  if (row.kind == ElementKind::real && row.bits >= 32) return row.bits == 32 ? "float" : "double";
  const bool is_signed = row.kind == ElementKind::whole && row.bits >= 8;
  switch (row.bits) {
    case 64: return is_signed ? "int64_t" : "uint64_t";
    case 32: return is_signed ? "int32_t" : "uint32_t";
    case 16: return is_signed ? "int16_t" : "uint16_t";
    default: return is_signed ? "int8_t" : "uint8_t";
  }
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
