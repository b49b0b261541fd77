#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

Result<void> import_logical_not(OperatorImport& op) {
  if (!op.optional_options<schema::LogicalNotOptions>()) return failure;
  return import_function(op, "", "Not", {DType::boolean});
}

}  // namespace byoc::tflite
