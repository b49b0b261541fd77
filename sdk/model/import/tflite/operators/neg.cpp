#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_neg(OperatorImport& op) {
  if (!op.optional_options<schema::NegOptions>()) return failure;
  return import_function(op, "", "Neg", {DType::f32});
}

}  // namespace byoc::tflite
