// ONNX's numbers of element types, as Cast's `to` has them. Also what shape inference reads.
#pragma once

#include <cstdint>

#include "byoc/types.hpp"

namespace byoc::evaluate {

// undefined for a number that stands for no type we know.
[[nodiscard]] DType onnx_type(std::int64_t number);

}  // namespace byoc::evaluate
