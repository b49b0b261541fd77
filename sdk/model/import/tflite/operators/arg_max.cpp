#include "sdk/model/import/tflite/arg.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_arg_max(OperatorImport& op) {
  auto options = op.optional_options<schema::ArgMaxOptions>();
  if (!options) return failure;
  return import_to_arg(op, "ArgMax");
}

}  // namespace byoc::tflite
