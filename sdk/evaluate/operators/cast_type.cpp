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

}  // namespace byoc::evaluate
