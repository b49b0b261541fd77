#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_not_equal(OperatorImport& op) {
  if (!op.optional_options<schema::NotEqualOptions>()) return failure;
  return import_comparison(op, "byoc", "NotEqual",
                           {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64, DType::boolean});
}

}  // namespace byoc::tflite
