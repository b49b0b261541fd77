#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The elements as they are, whatever the tensors' quantisation: from the type of x to the type of y.
Result<void> import_cast(OperatorImport& op) {
  auto options = op.optional_options<schema::CastOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  for (const ir::ValueId v : {x, y})
    if (!op.expect_dtype(v, {DType::f32, DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32,
                             DType::i64, DType::boolean}))
      return failure;
  if (!op.expect_dims(y, op.dims(x))) return failure;
  op.node("Cast", {x}).attributes["to"] = onnx_number(op.type(y).dtype);
  return {};
}

}  // namespace byoc::tflite
