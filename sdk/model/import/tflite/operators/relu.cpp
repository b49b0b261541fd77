#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_relu(OperatorImport& op) {
  if (!expect_unary(op)) return failure;
  op.node("Relu", {op.input(0)});
  return {};
}

}  // namespace byoc::tflite
