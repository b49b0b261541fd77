#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// a / b rounded down. Of integers: Div rounds towards 0, which is 1 too many where the remainders with the sign of b
// and with the sign of a differ. They differ by b then, so that no step overflows.
Result<void> import_floor_div(OperatorImport& op) {
  if (!op.optional_options<schema::FloorDivOptions>()) return failure;
  const ir::ValueId a = op.input(0), b = op.input(1), y = op.output();
  if (op.type(a).dtype == DType::f32)
    return import_binary(op, "byoc", "FloorDiv", {DType::f32}) ? Result<void>() : failure;
  if (!expect_binary(op, {DType::i32})) return failure;
  const auto temporary = [&] { return op.add_tensor(y, op.dims(y)); };
  const ir::ValueId of_b = temporary(), of_a = temporary(), apart = temporary(), more = temporary(), q = temporary();
  op.node("Mod", {a, b}, {of_b});
  op.node("Mod", {a, b}, {of_a}).attributes["fmod"] = std::int64_t{1};
  op.node("Sub", {of_b, of_a}, {apart});
  op.node("Div", {apart, b}, {more});
  op.node("Div", {a, b}, {q});
  op.node("Sub", {q, more});
  return {};
}

}  // namespace byoc::tflite
