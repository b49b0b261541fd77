#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_sign(OperatorImport& op) {
  if (!op.optional_options<schema::SignOptions>()) return failure;
  return import_function(op, "", "Sign", {DType::f32, DType::i32});
}

}  // namespace byoc::tflite
