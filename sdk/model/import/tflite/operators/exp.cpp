#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_exp(OperatorImport& op) {
  if (!op.optional_options<schema::ExpOptions>()) return failure;
  return import_function(op, "", "Exp", {DType::f32});
}

}  // namespace byoc::tflite
