// ONNX's numbers of element types (TensorProto.DataType), as models, Cast's `to` and the graph language have them.
#pragma once

#include <cstdint>
#include <string>

#include "byoc/types.hpp"

namespace byoc::ir {

// undefined for a number that stands for no type we know.
[[nodiscard]] DType onnx_type(std::int64_t number);
// 0 for undefined.
[[nodiscard]] std::int64_t onnx_number(DType);
// ONNX's own name: "float8e4m3fn" for 17, "string" for 8; "element type 99" for a number that ONNX does not
// have.
[[nodiscard]] std::string onnx_type_name(std::int64_t number);
// The first opset whose Cast has the type; 6 for all that were there before.
[[nodiscard]] std::int64_t onnx_opset(DType);

}  // namespace byoc::ir
