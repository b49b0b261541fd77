#include "sdk/executor/c_text.hpp"

#include <charconv>

namespace byoc::executor {

std::string_view c_type(DType t) {
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
    case DType::u4:
    case DType::undefined: return "uint8_t";
  }
  return "uint8_t";
}

std::string c_float(float f) {
  char text[64];
  std::string out(text, std::to_chars(text, text + sizeof text, f).ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out + "f";
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

}  // namespace byoc::executor
