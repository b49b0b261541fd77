#include "sdk/model/import/tflite/unary.hpp"

#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/lookup.hpp"

namespace byoc::tflite {

Result<void> expect_unary(OperatorImport& op) {
  if (!op.expect_activations(op.input(0), op.output())) return failure;
  return op.expect_dims(op.output(), op.dims(op.input(0)));
}

Result<void> import_function(OperatorImport& op, const char* domain, const char* graph_op,
                             std::initializer_list<DType> allowed) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_element(op, x, allowed) || !expect_element(op, y, {op.type(x).dtype}) || !op.expect_dims(y, op.dims(x)))
    return failure;
  if (*domain == '\0')
    op.node(graph_op, {x});
  else
    op.byoc_node(graph_op, {x});
  return {};
}

Result<void> import_real_function(OperatorImport& op, const char* graph_op, float (*function)(float)) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (op.type(x).dtype != DType::i8) return import_function(op, "", graph_op, {DType::f32});
  if (!op.expect_activations(x, y) || !op.expect_dims(y, op.dims(x))) return failure;
  look_up_real(op, x, y, function);
  return {};
}

Result<void> import_to_clip(OperatorImport& op, float lowest, float highest) {
  if (!expect_unary(op)) return failure;
  const ir::ValueId low = op.add_scalar(lowest);
  const ir::ValueId high = op.add_scalar(highest);
  op.node("Clip", {op.input(0), low, high});
  return {};
}

}  // namespace byoc::tflite
