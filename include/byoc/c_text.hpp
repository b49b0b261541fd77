// Small pieces of C text that whoever emits C for byoc needs to write alike. Header only, standard headers only.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
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

// Definitions as a compiler takes them behind -D ("NAME", which is 1, "NAME=VALUE", "NAME(X)=VALUE") as lines before a
// source, whose own lines keep their numbers. Null: one that is none. Empty where there are none.
[[nodiscard]] inline std::optional<std::string> c_defines(std::span<const std::string> defines) {
  const auto starts_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  std::string out;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    const std::string name = define.substr(0, equals);
    if (name.empty() || !starts_name(name[0]) || define.find_first_of("\n\r\\") != std::string::npos)
      return std::nullopt;
    std::size_t end = 0;
    while (end < name.size() && (starts_name(name[end]) || (name[end] >= '0' && name[end] <= '9'))) ++end;
    if (end != name.size() && (name[end] != '(' || name.back() != ')')) return std::nullopt;
    out += "#define " + name + " " + (equals == std::string::npos ? "1" : define.substr(equals + 1)) + "\n";
  }
  return out.empty() ? out : out + "#line 1\n";
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
