// Numbers and elements of constants as the text form writes them, and as options give them.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "byoc/types.hpp"

namespace byoc::ir::text {

// Calls f(T{}) with the C++ type of the elements; false for types that are only written as hex: 16-bit floats, and what
// is small.
template <class F>
bool with_element_type(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32: return f(float{}), true;
    case DType::f64: return f(double{}), true;
    case DType::boolean:
    case DType::u8: return f(std::uint8_t{}), true;
    case DType::i8: return f(std::int8_t{}), true;
    case DType::u16: return f(std::uint16_t{}), true;
    case DType::i16: return f(std::int16_t{}), true;
    case DType::u32: return f(std::uint32_t{}), true;
    case DType::i32: return f(std::int32_t{}), true;
    case DType::u64: return f(std::uint64_t{}), true;
    case DType::i64: return f(std::int64_t{}), true;
    default: return false;
  }
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// The shortest decimal that reads back as the same bits; "1.0" rather than "1"; "nan(0x...)" where the payload matters.
template <class T>
void append_number(std::string& out, T v) {
  char buffer[64];
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(v)) {
      BitsOf<T> bits;
      std::memcpy(&bits, &v, sizeof bits);
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, bits, 16).ptr;
      out.append("nan(0x").append(buffer, end).append(")");
      return;
    }
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
    const std::string_view digits(buffer, static_cast<std::size_t>(end - buffer));
    out += digits;
    if (digits.find_first_not_of("-0123456789") == std::string_view::npos) out += ".0";
  } else {
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  }
}

// Reads all of `lexeme` as a T; false if it is not such a number or is out of range.
template <class T>
bool read_number(std::string_view lexeme, T& v) {
  const char* const begin = lexeme.data();
  const char* const end = begin + lexeme.size();
  if constexpr (std::is_floating_point_v<T>) {
    if (lexeme.substr(0, 6) == "nan(0x" && lexeme.back() == ')') {
      BitsOf<T> bits = 0;
      const auto r = std::from_chars(begin + 6, end - 1, bits, 16);
      if (r.ec != std::errc{} || r.ptr != end - 1) return false;
      std::memcpy(&v, &bits, sizeof v);
      return std::isnan(v);
    }
  }
  const auto r = std::from_chars(begin, end, v);
  return r.ec == std::errc{} && r.ptr == end;
}

}  // namespace byoc::ir::text
