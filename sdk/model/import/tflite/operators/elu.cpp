#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_elu(OperatorImport& op) {
  if (!expect_unary(op) || !op.expect_dtype(op.input(0), {DType::f32, DType::i8})) return failure;
  op.node("Elu", {op.input(0)});
  return {};
}

}  // namespace byoc::tflite
