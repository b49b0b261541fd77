#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 0: the shape, which the output has. Input 1: the element that fills it.
Result<void> import_fill(OperatorImport& op) {
  auto options = op.optional_options<schema::FillOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(1), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_equal_quantisation(x, y) || !expect_shape_input(op, op.input(0)))
    return failure;
  if (op.type(x).elements() != 1)
    return op.refuse("the value to fill with", std::to_string(op.type(x).elements()) + " elements", "1");
  const std::vector<ir::Dim> shape = op.dims(y);
  const ir::ValueId scalar = op.rank(x) == 0 ? x : op.add_tensor(x, {});
  if (scalar != x) op.reshape(x, scalar);
  op.node("Expand", {expect_at_run_time(op, scalar, op.input(0), shape), op.add_integers(shape)});
  return {};
}

}  // namespace byoc::tflite
