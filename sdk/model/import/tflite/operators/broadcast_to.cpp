#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: the shape, which the output has; it may be computed.
Result<void> import_broadcast_to(OperatorImport& op) {
  auto options = op.optional_options<schema::BroadcastToOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y) || !expect_shape_input(op, op.input(1))) return failure;
  auto dims = broadcast(op, op.dims(x), op.dims(y));
  if (!dims || !op.expect_dims(y, *dims)) return failure;
  const std::vector<ir::Dim> shape = op.dims(y);
  op.node("Expand", {expect_at_run_time(op, x, op.input(1), shape), op.add_integers(shape)});
  return {};
}

}  // namespace byoc::tflite
