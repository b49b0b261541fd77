#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> expect_unary(Lowering& op) {
  if (!op.expect_activations(op.input(0), op.output())) return failure;
  return op.expect_dims(op.output(), op.dims(op.input(0)));
}

Result<void> lower_to_clip(Lowering& op, float lowest, float highest) {
  if (!expect_unary(op)) return failure;
  const ir::ValueId low = op.add_scalar(lowest);
  const ir::ValueId high = op.add_scalar(highest);
  op.node("Clip", {op.input(0), low, high});
  return {};
}

}  // namespace byoc::tflite
