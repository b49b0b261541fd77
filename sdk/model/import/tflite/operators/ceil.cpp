#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_ceil(OperatorImport& op) { return import_function(op, "", "Ceil", {DType::f32}); }

}  // namespace byoc::tflite
