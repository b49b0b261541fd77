#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// int8, uint8, int16 or int32 to float32; constants of weights may have a scale for each index of a dimension. float16
// constants are widened.
Result<void> import_dequantize(OperatorImport& op) {
  auto options = op.optional_options<schema::DequantizeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::i8, DType::u8, DType::i16, DType::i32, DType::f16}) ||
      !op.expect_dtype(y, {DType::f32}) || !op.expect_dims(y, op.dims(x)))
    return failure;
  if (op.type(x).dtype == DType::f16) {
    op.node("Cast", {x}).attributes["to"] = std::int64_t{1};
    return {};
  }
  if (!op.type(x).quantisation) return op.refuse(op.describe(x) + " has no quantisation");
  if (!op.type(x).quantisation->per_axis() && !op.expect_quantised(x, {op.type(x).dtype})) return failure;
  op.byoc_node("Dequantize", {x});
  return {};
}

}  // namespace byoc::tflite
