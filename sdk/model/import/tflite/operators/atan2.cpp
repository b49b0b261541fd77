#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// y, x -> the angle of (x, y); all of one shape.
Result<void> import_atan2(OperatorImport& op) {
  if (!op.optional_options<schema::ATan2Options>() || !op.expect_dims(op.input(1), op.dims(op.input(0))) ||
      !import_binary(op, "byoc", "Atan2", {DType::f32, DType::f64}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
