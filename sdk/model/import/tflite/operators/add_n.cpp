#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_add_n(OperatorImport& op) {
  if (!op.optional_options<schema::AddNOptions>()) return failure;
  const ir::ValueId y = op.output();
  if (op.resizes() && !op.expect_dims(y, op.dims(op.input(0)))) return failure;
  std::vector<ir::ValueId> inputs;
  for (std::size_t i = 0; i < op.input_count(); ++i) {
    const ir::ValueId x = op.input(i);
    if (x == ir::kNoValue) return op.refuse("input " + std::to_string(i) + " is not given");
    if (!expect_element(op, x, {DType::f32, DType::i8}) || !op.expect_activations(x, y) ||
        !op.expect_dims(x, op.dims(y)) || !op.expect_equal_quantisation(op.input(0), x))
      return failure;
    inputs.push_back(x);
  }
  if (op.type(y).dtype == DType::f32)
    op.node("Sum", inputs);
  else
    op.byoc_node("AddN", inputs);
  return {};
}

}  // namespace byoc::tflite
