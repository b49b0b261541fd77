#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_less(Lowering& op) {
  if (!op.optional_options<schema::LessOptions>()) return failure;
  return lower_comparison(op, "", "Less", {DType::f32, DType::i8, DType::i32, DType::i64});
}

}  // namespace byoc::tflite
