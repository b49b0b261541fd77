#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// a / b without its remainder, rounded down: of integers (a - Mod(a, b)) / b, which has none.
Result<void> import_floor_div(OperatorImport& op) {
  if (!op.optional_options<schema::FloorDivOptions>()) return failure;
  const ir::ValueId a = op.input(0), b = op.input(1), y = op.output();
  if (op.type(a).dtype == DType::f32)
    return import_binary(op, "byoc", "FloorDiv", {DType::f32}) ? Result<void>() : failure;
  if (!expect_binary(op, {DType::i32})) return failure;
  const ir::ValueId rest = op.add_tensor(y, op.dims(y)), whole = op.add_tensor(y, op.dims(y));
  op.node("Mod", {a, b}, {rest});
  op.node("Sub", {a, rest}, {whole});
  op.node("Div", {whole, b});
  return {};
}

}  // namespace byoc::tflite
