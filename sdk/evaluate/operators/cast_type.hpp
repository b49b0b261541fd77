// ONNX's numbers of element types, as Cast's `to` has them. Also what shape inference reads.
#pragma once

#include <cstdint>
#include <string>

#include "byoc/types.hpp"

namespace byoc::evaluate {

// undefined for a number that stands for no type we know.
[[nodiscard]] DType onnx_type(std::int64_t number);

// "float8e4m3fn" for 17; the number for one that ONNX does not have.
[[nodiscard]] std::string onnx_type_name(std::int64_t number);

}  // namespace byoc::evaluate
