#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_sqrt(OperatorImport& op) { return import_function(op, "", "Sqrt", {DType::f32}); }

}  // namespace byoc::tflite
