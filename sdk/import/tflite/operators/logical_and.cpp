#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_logical_and(Lowering& op) {
  if (!op.optional_options<schema::LogicalAndOptions>() || !lower_binary(op, "", "And", {DType::boolean}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
