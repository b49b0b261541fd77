#include "sdk/model/ir/onnx_types.hpp"

#include <string_view>

namespace byoc::ir {
namespace {

struct OnnxType {
  std::string_view name;
  DType dtype;
  std::int64_t opset = 6;
};

// Indexed by ONNX's number of the type.
constexpr OnnxType kTypes[] = {
    {"undefined", DType::undefined},
    {"float32", DType::f32},
    {"uint8", DType::u8},
    {"int8", DType::i8},
    {"uint16", DType::u16},
    {"int16", DType::i16},
    {"int32", DType::i32},
    {"int64", DType::i64},
    {"string", DType::string},
    {"bool", DType::boolean},
    {"float16", DType::f16},
    {"float64", DType::f64},
    {"uint32", DType::u32},
    {"uint64", DType::u64},
    {"complex64", DType::undefined},
    {"complex128", DType::undefined},
    {"bfloat16", DType::bf16, 13},
    {"float8e4m3fn", DType::f8e4m3fn, 19},
    {"float8e4m3fnuz", DType::f8e4m3fnuz, 19},
    {"float8e5m2", DType::f8e5m2, 19},
    {"float8e5m2fnuz", DType::f8e5m2fnuz, 19},
    {"uint4", DType::u4, 21},
    {"int4", DType::i4, 21},
    {"float4e2m1", DType::f4e2m1, 23},
    {"float8e8m0", DType::f8e8m0, 24},
    {"uint2", DType::u2, 25},
    {"int2", DType::i2, 25},
};
constexpr std::int64_t kCount = sizeof kTypes / sizeof kTypes[0];

const OnnxType& row(std::int64_t number) { return kTypes[number >= 0 && number < kCount ? number : 0]; }

}  // namespace

DType onnx_type(std::int64_t number) { return row(number).dtype; }

std::int64_t onnx_number(DType t) {
  for (std::int64_t number = 1; t != DType::undefined && number < kCount; ++number)
    if (kTypes[number].dtype == t) return number;
  return 0;
}

std::string onnx_type_name(std::int64_t number) {
  return number >= 0 && number < kCount ? std::string(row(number).name) : "element type " + std::to_string(number);
}

std::int64_t onnx_opset(DType t) { return row(onnx_number(t)).opset; }

}  // namespace byoc::ir
