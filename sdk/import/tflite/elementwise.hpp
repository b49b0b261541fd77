// What ADD, SUB and MUL have in common.
#pragma once

#include "sdk/import/tflite/lowering.hpp"

namespace byoc::tflite {

// Adds `onnx_op` for a, b -> y of their broadcast shape.
Result<void> lower_elementwise(Lowering&, const char* onnx_op, schema::ActivationFunctionType);

}  // namespace byoc::tflite
