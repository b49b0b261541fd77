// Parts that RESHAPE, SQUEEZE and EXPAND_DIMS share.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

// Adds a Reshape of `x`, input 0 or what stands for it, to the output's shape. Errors: another element type or number
// of elements.
Result<void> import_to_reshape(OperatorImport&, ir::ValueId x);

}  // namespace byoc::tflite
