#include "sdk/import/tflite/arg.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_arg_min(Lowering& op) {
  auto options = op.optional_options<schema::ArgMinOptions>();
  if (!options) return failure;
  return lower_to_arg(op, "ArgMin");
}

}  // namespace byoc::tflite
