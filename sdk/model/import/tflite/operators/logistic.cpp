#include <cmath>

#include "sdk/model/import/tflite/lookup.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_logistic(OperatorImport& op) {
  if (!expect_unary(op)) return failure;
  const ir::ValueId y = op.output();
  if (op.shifted()) {
    look_up_real(op, op.input(0), y, [](float real) { return 1 / (1 + std::exp(-real)); });
    return {};
  }
  if (op.type(y).dtype == DType::i8 && !op.expect_quantisation(y, 1.0f / 256, -128)) return failure;
  if (op.type(y).dtype == DType::i16 && !op.expect_quantisation(y, 1.0f / 32768, 0)) return failure;
  op.node("Sigmoid", {op.input(0)});
  return {};
}

}  // namespace byoc::tflite
