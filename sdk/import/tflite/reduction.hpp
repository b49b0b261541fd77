// What MEAN, SUM, REDUCE_MAX and REDUCE_MIN have in common.
#pragma once

#include "sdk/import/tflite/lowering.hpp"

namespace byoc::tflite {

// Adds `onnx_op` for x over the axes of input 1 (int32; negative ones count from the last, one may be named twice).
Result<void> lower_reduction(Lowering&, const char* onnx_op);

}  // namespace byoc::tflite
