#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The remainder has the sign of the divisor, as ONNX's Mod of integers has it.
Result<void> import_floor_mod(OperatorImport& op) {
  if (!op.optional_options<schema::FloorModOptions>()) return failure;
  const bool real = op.type(op.input(0)).dtype == DType::f32;
  const auto node = real ? import_binary(op, "byoc", "FloorMod", {DType::f32})
                         : import_binary(op, "", "Mod", {DType::i32, DType::i64});
  return node ? Result<void>() : failure;
}

}  // namespace byoc::tflite
