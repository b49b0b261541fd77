#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Reinterprets the bits as another type of equal width.
Result<void> import_bitcast(OperatorImport& op) {
  if (!op.optional_options<schema::BitcastOptions>()) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  for (const ir::ValueId v : {x, y})
    if (!op.expect_dtype(v, {DType::f32, DType::f64, DType::i8, DType::u8, DType::i16, DType::u16, DType::i32,
                             DType::u32, DType::i64, DType::u64}))
      return failure;
  const DType from = op.type(x).dtype, to = op.type(y).dtype;
  if (bit_width(from) != bit_width(to))
    return op.refuse("element types of other sizes",
                     std::string(to_string(from)) + " and " + std::string(to_string(to)), "two of one size");
  if (!op.expect_dims(y, op.dims(x))) return failure;
  op.node("BitCast", {x}).attributes["to"] = onnx_number(to);
  return {};
}

}  // namespace byoc::tflite
