#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_logical_or(Lowering& op) {
  if (!op.optional_options<schema::LogicalOrOptions>() || !lower_binary(op, "", "Or", {DType::boolean})) return failure;
  return {};
}

}  // namespace byoc::tflite
