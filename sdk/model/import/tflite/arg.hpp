// Parts that ARG_MAX and ARG_MIN share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Adds `onnx_op` along the axis of input 1: the first of equal values.
Result<void> import_to_arg(OperatorImport&, const char* onnx_op);

}  // namespace byoc::tflite
