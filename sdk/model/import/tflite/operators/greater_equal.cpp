#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_greater_equal(OperatorImport& op) {
  if (!op.optional_options<schema::GreaterEqualOptions>()) return failure;
  return import_comparison(op, "", "GreaterOrEqual", {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64});
}

}  // namespace byoc::tflite
