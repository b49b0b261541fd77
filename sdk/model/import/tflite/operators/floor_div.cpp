#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_floor_div(OperatorImport& op) {
  if (!op.optional_options<schema::FloorDivOptions>() || !import_binary(op, "byoc", "FloorDiv", {DType::f32}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
