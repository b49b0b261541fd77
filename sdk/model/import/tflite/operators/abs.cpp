#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_abs(OperatorImport& op) {
  if (!op.optional_options<schema::AbsOptions>()) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  // int16 may also be plain integers.
  if (op.type(x).dtype == DType::i16 && !op.type(x).quantisation && !op.type(y).quantisation) {
    if (!op.expect_dtype(y, {DType::i16}) || !op.expect_dims(y, op.dims(x))) return failure;
    op.node("Abs", {x});
    return {};
  }
  return import_function(op, "", "Abs", {DType::f32, DType::i8, DType::i16});
}

}  // namespace byoc::tflite
