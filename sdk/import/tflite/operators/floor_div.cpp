#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_floor_div(Lowering& op) {
  if (!op.optional_options<schema::FloorDivOptions>() || !lower_binary(op, "byoc", "FloorDiv", {DType::f32}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
