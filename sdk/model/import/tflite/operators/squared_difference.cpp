#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_squared_difference(OperatorImport& op) {
  if (!op.optional_options<schema::SquaredDifferenceOptions>() ||
      !import_binary(op, "byoc", "SquaredDifference", {DType::f32, DType::i8, DType::i16, DType::i32}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
