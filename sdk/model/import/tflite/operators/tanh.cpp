#include <cmath>

#include "sdk/model/import/tflite/lookup.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_tanh(OperatorImport& op) {
  if (!expect_unary(op)) return failure;
  const ir::ValueId y = op.output();
  if (op.shifted()) {
    look_up_real(op, op.input(0), y, [](float real) { return std::tanh(real); });
    return {};
  }
  if (op.type(y).dtype == DType::i8 && !op.expect_quantisation(y, 1.0f / 128, 0)) return failure;
  if (op.type(y).dtype == DType::i16 && !op.expect_quantisation(y, 1.0f / 32768, 0)) return failure;
  op.node("Tanh", {op.input(0)});
  return {};
}

}  // namespace byoc::tflite
