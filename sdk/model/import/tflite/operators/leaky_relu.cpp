#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_leaky_relu(OperatorImport& op) {
  auto options = op.options<schema::LeakyReluOptions>();
  if (!options || !expect_unary(op)) return failure;
  op.node("LeakyRelu", {op.input(0)}).attributes["alpha"] = (*options)->alpha();
  return {};
}

}  // namespace byoc::tflite
