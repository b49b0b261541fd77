#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_greater(Lowering& op) {
  if (!op.optional_options<schema::GreaterOptions>()) return failure;
  return lower_comparison(op, "", "Greater", {DType::f32, DType::i8, DType::i32, DType::i64});
}

}  // namespace byoc::tflite
