// Element types as the attribute `to` of Cast has them: ONNX's numbers.
#pragma once

#include <cstdint>

#include "byoc/types.hpp"

namespace byoc::tflite {

[[nodiscard]] constexpr std::int64_t onnx_number(DType t) {
  switch (t) {
    case DType::f32: return 1;
    case DType::u8: return 2;
    case DType::i8: return 3;
    case DType::u16: return 4;
    case DType::i16: return 5;
    case DType::i32: return 6;
    case DType::i64: return 7;
    case DType::boolean: return 9;
    case DType::u32: return 12;
    default: return 0;
  }
}

}  // namespace byoc::tflite
