#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_ceil(OperatorImport& op) { return import_function(op, "", "Ceil", {DType::f32}); }

}  // namespace byoc::tflite
