#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x where the condition holds, y elsewhere; all of them broadcast.
Result<void> import_select_v2(OperatorImport& op) {
  auto options = op.optional_options<schema::SelectV2Options>();
  if (!options) return failure;
  const ir::ValueId condition = op.input(0), x = op.input(1), y = op.input(2), out = op.output();
  if (!op.expect_dtype(condition, {DType::boolean}) || !op.expect_moved(x, out) || !op.expect_moved(y, out))
    return failure;
  auto values = broadcast(op, op.dims(x), op.dims(y));
  if (!values) return failure;
  auto dims = broadcast(op, op.dims(condition), *values);
  if (!dims || !op.expect_dims(out, *dims)) return failure;
  op.node("Where", {condition, x, y});
  return {};
}

}  // namespace byoc::tflite
