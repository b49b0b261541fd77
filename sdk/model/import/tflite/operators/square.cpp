#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_square(OperatorImport& op) {
  if (!op.optional_options<schema::SquareOptions>() || !expect_unary(op) || !op.expect_dtype(op.input(0), {DType::f32}))
    return failure;
  op.node("Mul", {op.input(0), op.input(0)});
  return {};
}

}  // namespace byoc::tflite
