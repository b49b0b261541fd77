#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The shape of x, known here, as int32 or int64.
Result<void> import_shape(OperatorImport& op) {
  auto options = op.optional_options<schema::ShapeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(y, {DType::i32, DType::i64})) return failure;
  if (!op.expect_dims(y, {static_cast<ir::Dim>(op.rank(x))})) return failure;
  const std::vector<ir::Dim> shape = op.dims(x);
  const ir::ValueId known = op.add_integers(shape);
  if (op.type(y).dtype == DType::i64)
    op.node("Identity", {known});
  else
    op.node("Cast", {known}).attributes["to"] = onnx_number(DType::i32);
  return {};
}

}  // namespace byoc::tflite
