#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// float32 to int8 or int16, or from one of these to another scale or width.
Result<void> lower_quantize(Lowering& op) {
  auto options = op.optional_options<schema::QuantizeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_activation(x) || !op.expect_activation(y)) return failure;
  if (!op.expect_dtype(y, {DType::i8, DType::i16}) || !op.expect_dims(y, op.dims(x))) return failure;
  op.byoc_node("Quantize", {x});
  return {};
}

}  // namespace byoc::tflite
