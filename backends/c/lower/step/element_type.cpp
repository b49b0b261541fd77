#include "backends/c/lower/step/element_type.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace byoc::c {
namespace {

constexpr ElementType kTypes[] = {
    {DType::f32, "float", "float", "", "", ""},
    {DType::f64, "double", "double", "", "", ""},
    {DType::f16, "uint16_t", "float", "", "byoc_load_f16", "byoc_store_f16"},
    {DType::bf16, "uint16_t", "float", "", "byoc_load_bf16", "byoc_store_bf16"},
    {DType::i8, "int8_t", "int8_t", "uint32_t", "", ""},
    {DType::u8, "uint8_t", "uint8_t", "uint32_t", "", ""},
    {DType::i16, "int16_t", "int16_t", "uint32_t", "", ""},
    {DType::u16, "uint16_t", "uint16_t", "uint32_t", "", ""},
    {DType::i32, "int32_t", "int32_t", "uint32_t", "", ""},
    {DType::u32, "uint32_t", "uint32_t", "uint32_t", "", ""},
    {DType::i64, "int64_t", "int64_t", "uint64_t", "", ""},
    {DType::u64, "uint64_t", "uint64_t", "uint64_t", "", ""},
    {DType::boolean, "uint8_t", "uint8_t", "uint32_t", "", ""},
};

std::string real_text(double value, bool is_double) {
  if (std::isnan(value)) return is_double ? "(double)NAN" : "NAN";
  if (std::isinf(value)) {
    const std::string infinity = is_double ? "(double)INFINITY" : "INFINITY";
    return value > 0 ? infinity : "-" + infinity;
  }
  if (!is_double) return c_float(static_cast<float>(value));
  char text[64];
  std::string out(text, std::to_chars(text, text + sizeof text, value).ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

// The range of an integer type of at most 64 bits.
std::int64_t lowest(DType t) {
  const bool is_signed = t == DType::i8 || t == DType::i16 || t == DType::i32 || t == DType::i64;
  return is_signed ? std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(t)) : 0;
}
std::uint64_t largest(DType t) {
  if (t == DType::boolean) return 1;
  const bool is_signed = lowest(t) < 0;
  return std::numeric_limits<std::uint64_t>::max() >> (64 - bit_width(t) + (is_signed ? 1 : 0));
}

double from_f16(std::uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  double out = 0;
  if (exponent == 31)
    out = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else
    out = std::ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);
  return h & 0x8000 ? -out : out;
}

template <class T>
T read_element(const codegen::Value& v, std::size_t i) {
  T out;
  std::memcpy(&out, v.data.data() + i * sizeof(T), sizeof(T));
  return out;
}

}  // namespace

bool ElementType::is_signed() const {
  return is_float() || dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
}

std::optional<ElementType> element_type(DType t) {
  for (const ElementType& e : kTypes)
    if (e.dtype == t) return e;
  return std::nullopt;
}

void define_element(Kernel& kernel, const std::string& prefix, DType t) {
  const ElementType e = *element_type(t);
  kernel.defines[prefix] = e.storage;
  kernel.defines[prefix + "_WORK"] = e.work;
  kernel.defines[prefix + "_LOAD(v)"] = e.load.empty() ? "(v)" : std::string(e.load) + "(v)";
  kernel.defines[prefix + "_STORE(v)"] =
      e.store.empty() ? "((" + std::string(e.storage) + ")(v))" : std::string(e.store) + "(v)";
}

void define_arithmetic(Kernel& kernel, DType t) {
  const ElementType e = *element_type(t);
  kernel.defines["BYOC_T"] = e.work;
  if (e.is_double()) kernel.defines["BYOC_DOUBLE"] = "1";
  if (e.is_float()) {
    kernel.defines["BYOC_LOWEST"] = real_text(-std::numeric_limits<double>::infinity(), e.is_double());
    kernel.defines["BYOC_LARGEST"] = real_text(std::numeric_limits<double>::infinity(), e.is_double());
    return;
  }
  kernel.defines["BYOC_BITS"] = e.bits;
  kernel.defines["BYOC_LOWEST"] = c_literal(t, lowest(t));
  kernel.defines["BYOC_LARGEST"] = c_literal(t, largest(t));
  kernel.defines["BYOC_ABOVE"] = c_float(std::ldexp(1.0F, static_cast<int>(std::bit_width(largest(t)))));
}

std::string c_literal(DType t, double value) {
  if (is_float_type(t)) return real_text(value, t == DType::f64);
  if (std::isnan(value)) return c_literal(t, std::int64_t{0});
  if (value < 0) {
    if (value <= static_cast<double>(lowest(t))) return c_literal(t, lowest(t));
    return c_literal(t, static_cast<std::int64_t>(value));
  }
  if (value >= static_cast<double>(largest(t))) return c_literal(t, largest(t));
  return c_literal(t, static_cast<std::uint64_t>(value));
}

std::string c_literal(DType t, std::int64_t value) {
  if (value >= 0) return c_literal(t, static_cast<std::uint64_t>(value));
  if (is_float_type(t)) return real_text(static_cast<double>(value), t == DType::f64);
  if (value < lowest(t)) value = lowest(t);
  // The least values have no literal: a minus sign is an operator.
  if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  if (t == DType::i32 && value == std::numeric_limits<std::int32_t>::min()) return "INT32_MIN";
  return std::to_string(value) + (bit_width(t) == 64 ? "LL" : "");
}

std::string c_literal(DType t, std::uint64_t value) {
  if (is_float_type(t)) return real_text(static_cast<double>(value), t == DType::f64);
  if (value > largest(t)) value = largest(t);
  const std::string_view suffix = t == DType::u64 ? "ULL" : t == DType::i64 ? "LL" : t == DType::u32 ? "U" : "";
  return std::to_string(value) + std::string(suffix);
}

std::string c_element(const codegen::Value& v, std::size_t i) {
  if (v.dtype == DType::i64) return c_literal(v.dtype, read_element<std::int64_t>(v, i));
  if (v.dtype == DType::u64) return c_literal(v.dtype, read_element<std::uint64_t>(v, i));
  return c_literal(v.dtype, real_element(v, i));
}

double real_element(const codegen::Value& v, std::size_t i) {
  switch (v.dtype) {
    case DType::f32: return static_cast<double>(read_element<float>(v, i));
    case DType::f64: return read_element<double>(v, i);
    case DType::f16: return from_f16(read_element<std::uint16_t>(v, i));
    case DType::bf16:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(read_element<std::uint16_t>(v, i)) << 16));
    case DType::i8: return read_element<std::int8_t>(v, i);
    case DType::u8:
    case DType::boolean: return read_element<std::uint8_t>(v, i);
    case DType::i16: return read_element<std::int16_t>(v, i);
    case DType::u16: return read_element<std::uint16_t>(v, i);
    case DType::i32: return read_element<std::int32_t>(v, i);
    case DType::u32: return read_element<std::uint32_t>(v, i);
    case DType::i64: return static_cast<double>(read_element<std::int64_t>(v, i));
    case DType::u64: return static_cast<double>(read_element<std::uint64_t>(v, i));
    default: return 0;
  }
}

}  // namespace byoc::c
