#include "sdk/import/tflite/arg.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_arg_max(Lowering& op) {
  auto options = op.optional_options<schema::ArgMaxOptions>();
  if (!options) return failure;
  return lower_to_arg(op, "ArgMax");
}

}  // namespace byoc::tflite
