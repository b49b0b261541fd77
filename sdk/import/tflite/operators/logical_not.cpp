#include "sdk/import/tflite/operators/operators.hpp"
#include "sdk/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> lower_logical_not(Lowering& op) {
  if (!op.optional_options<schema::LogicalNotOptions>()) return failure;
  return lower_function(op, "", "Not", {DType::boolean});
}

}  // namespace byoc::tflite
