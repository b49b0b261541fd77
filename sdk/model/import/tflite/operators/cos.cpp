#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_cos(OperatorImport& op) {
  if (!op.optional_options<schema::CosOptions>()) return failure;
  return import_function(op, "", "Cos", {DType::f32});
}

}  // namespace byoc::tflite
