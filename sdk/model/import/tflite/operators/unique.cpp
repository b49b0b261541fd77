#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The different elements in the order in which they come, and for each element which of these it is.
Result<void> import_unique(OperatorImport& op) {
  if (!op.optional_options<schema::UniqueOptions>()) return failure;
  if (op.output_count() != 2) return op.refuse("wrong number of outputs", std::to_string(op.output_count()), "2");
  const ir::ValueId x = op.input(0), y = op.output(0), which = op.output(1);
  if (!op.expect_dtype(x, {DType::f32, DType::i8, DType::u8, DType::i16, DType::i32, DType::i64}) ||
      !op.expect_dtype(y, {op.type(x).dtype}) || !op.expect_dtype(which, {DType::i32, DType::i64}) ||
      !op.expect_rank(x, 1) || !op.give_dims(which, op.dims(x)))
    return failure;
  if (op.type(x).quantisation != op.type(y).quantisation)
    return op.refuse("quantisation of " + op.describe(x) + " and " + op.describe(y) + " must be equal");
  op.open_dims(y);
  const bool narrow = op.type(which).dtype == DType::i32;
  const ir::ValueId inverse = narrow ? op.add_tensor(DType::i64, op.dims(x)) : which;
  op.node("Unique", {x}, {y, ir::kNoValue, inverse}).attributes["sorted"] = std::int64_t{0};
  if (narrow) op.node("Cast", {inverse}, {which}).attributes["to"] = onnx_number(DType::i32);
  return {};
}

}  // namespace byoc::tflite
