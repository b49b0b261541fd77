#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Accepts plain integers; shifts are clamped to the width of the type.
Result<void> import_right_shift(OperatorImport& op) {
  if (!op.optional_options<schema::RightShiftOptions>()) return failure;
  const ir::ValueId a = op.input(0), b = op.input(1), y = op.output();
  if (!op.expect_dtype(a, {DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32}) ||
      !op.expect_dtype(b, {op.type(a).dtype}) || !op.expect_dtype(y, {op.type(a).dtype}))
    return failure;
  for (const ir::ValueId v : {a, b, y})
    if (op.type(v).quantisation)
      return op.refuse("kernels for plain integers take no quantisation: " + op.describe(v),
                       std::string(to_string(op.type(v).dtype)) + " with a scale", "none");
  const auto dims = broadcast(op, op.dims(a), op.dims(b));
  if (!dims || !op.expect_dims(y, *dims)) return failure;
  op.byoc_node("RightShift", {a, b});
  return {};
}

}  // namespace byoc::tflite
