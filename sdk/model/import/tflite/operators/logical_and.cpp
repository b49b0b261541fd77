#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_logical_and(OperatorImport& op) {
  if (!op.optional_options<schema::LogicalAndOptions>() || !import_binary(op, "", "And", {DType::boolean}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
