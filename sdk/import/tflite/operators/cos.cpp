#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> lower_cos(Lowering& op) {
  if (!op.optional_options<schema::CosOptions>()) return failure;
  return lower_function(op, "", "Cos", {DType::f32});
}

}  // namespace byoc::tflite
