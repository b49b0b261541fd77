#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> lower_sign(Lowering& op) {
  if (!op.optional_options<schema::SignOptions>()) return failure;
  return lower_function(op, "", "Sign", {DType::f32, DType::i32});
}

}  // namespace byoc::tflite
