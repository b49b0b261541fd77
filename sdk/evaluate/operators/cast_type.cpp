#include "sdk/evaluate/operators/cast_type.hpp"

namespace byoc::evaluate {

// TensorProto.DataType.
DType onnx_type(std::int64_t number) {
  switch (number) {
    case 1: return DType::f32;
    case 2: return DType::u8;
    case 3: return DType::i8;
    case 4: return DType::u16;
    case 5: return DType::i16;
    case 6: return DType::i32;
    case 7: return DType::i64;
    case 9: return DType::boolean;
    case 10: return DType::f16;
    case 11: return DType::f64;
    case 12: return DType::u32;
    case 13: return DType::u64;
    case 16: return DType::bf16;
    default: return DType::undefined;
  }
}

std::string onnx_type_name(std::int64_t number) {
  switch (number) {
    case 8: return "string";
    case 14: return "complex64";
    case 15: return "complex128";
    case 17: return "float8e4m3fn";
    case 18: return "float8e4m3fnuz";
    case 19: return "float8e5m2";
    case 20: return "float8e5m2fnuz";
    case 21: return "uint4";
    case 22: return "int4";
    case 23: return "float4e2m1";
    case 24: return "float8e8m0";
    case 25: return "uint2";
    case 26: return "int2";
    default: break;
  }
  const DType known = onnx_type(number);
  return known == DType::undefined ? std::to_string(number) : std::string(to_string(known));
}

}  // namespace byoc::evaluate
