#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_abs(OperatorImport& op) {
  if (!op.optional_options<schema::AbsOptions>()) return failure;
  return import_function(op, "", "Abs", {DType::f32, DType::i8, DType::i16});
}

}  // namespace byoc::tflite
