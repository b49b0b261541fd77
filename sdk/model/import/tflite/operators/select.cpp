#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x where the condition holds, y elsewhere. x and y have one shape; the condition has it too, or is a scalar, or has an
// element for each index of the first dimension.
Result<void> import_select(OperatorImport& op) {
  auto options = op.optional_options<schema::SelectOptions>();
  if (!options) return failure;
  const ir::ValueId condition = op.input(0), x = op.input(1), y = op.input(2), out = op.output();
  if (!op.expect_dtype(condition, {DType::boolean}) || !op.expect_moved(x, out) || !op.expect_moved(y, out) ||
      !op.expect_dims(x, op.dims(out)) || !op.expect_dims(y, op.dims(out)))
    return failure;
  const std::vector<ir::Dim> dims = op.dims(out), given = op.dims(condition);
  ir::ValueId wide = condition;
  if (given != dims && !given.empty()) {
    if (dims.empty() || !op.expect_dims(condition, {dims[0]})) return failure;
    std::vector<ir::Dim> rows(dims.size(), 1);
    rows[0] = dims[0];
    wide = op.add_tensor(condition, rows);
    op.reshape(condition, wide);
  }
  op.node("Where", {wide, x, y});
  return {};
}

}  // namespace byoc::tflite
