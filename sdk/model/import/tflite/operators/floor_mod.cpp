#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_floor_mod(OperatorImport& op) {
  if (!op.optional_options<schema::FloorModOptions>() || !import_binary(op, "byoc", "FloorMod", {DType::f32}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
