#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_floor_mod(Lowering& op) {
  if (!op.optional_options<schema::FloorModOptions>() || !lower_binary(op, "byoc", "FloorMod", {DType::f32}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
