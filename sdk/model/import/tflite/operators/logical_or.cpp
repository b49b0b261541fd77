#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_logical_or(OperatorImport& op) {
  if (!op.optional_options<schema::LogicalOrOptions>() || !import_binary(op, "", "Or", {DType::boolean}))
    return failure;
  return {};
}

}  // namespace byoc::tflite
