#include "sdk/model/import/tflite/arg.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_arg_min(OperatorImport& op) {
  auto options = op.optional_options<schema::ArgMinOptions>();
  if (!options) return failure;
  return import_to_arg(op, "ArgMin");
}

}  // namespace byoc::tflite
