#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// int8 or int16 to float32; constants of weights may have a scale for each index of a dimension.
Result<void> lower_dequantize(Lowering& op) {
  auto options = op.optional_options<schema::DequantizeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::i8, DType::i16}) || !op.expect_dtype(y, {DType::f32})) return failure;
  if (!op.type(x).quantisation) return op.refuse(op.describe(x) + " has no quantisation");
  if (!op.expect_dims(y, op.dims(x))) return failure;
  op.byoc_node("Dequantize", {x});
  return {};
}

}  // namespace byoc::tflite
