#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Integers are compared and moved as they are, whatever their scales.
Result<void> import_maximum(OperatorImport& op) {
  if (!op.optional_options<schema::MaximumMinimumOptions>() ||
      !import_binary(op, "", "Max", {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
