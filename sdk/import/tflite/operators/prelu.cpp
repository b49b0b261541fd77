#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: the slopes, which broadcast to input 0.
Result<void> import_prelu(OperatorImport& op) {
  if (!op.expect_dims(op.output(), op.dims(op.input(0)))) return failure;
  if (!import_binary(op, "", "PRelu", {DType::f32, DType::i8})) return failure;
  return {};
}

}  // namespace byoc::tflite
