// One function, in one file, for each row of operators.inc and custom_operators.inc. They check what the kernels of
// TensorFlow Lite demand, refuse the rest, and add the nodes that docs/graph-language.md names.
#pragma once

#include "sdk/model/import/tflite/operator_import.hpp"

namespace byoc::tflite {

#define TFLITE_OPERATOR(name, newest_version, least_inputs, most_inputs, function, ...) \
  Result<void> import_##function(OperatorImport&);
#include "sdk/model/import/tflite/operators.inc"
#undef TFLITE_OPERATOR
#define TFLITE_CUSTOM_OPERATOR(name, least_inputs, most_inputs, least_outputs, most_outputs, function, ...) \
  Result<void> import_##function(OperatorImport&);
#include "sdk/model/import/tflite/custom_operators.inc"
#undef TFLITE_CUSTOM_OPERATOR

}  // namespace byoc::tflite
