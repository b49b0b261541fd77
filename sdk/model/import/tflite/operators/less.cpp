#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_less(OperatorImport& op) {
  if (!op.optional_options<schema::LessOptions>()) return failure;
  return import_comparison(op, "", "Less", {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64});
}

}  // namespace byoc::tflite
