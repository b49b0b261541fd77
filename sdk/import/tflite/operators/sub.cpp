#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_sub(Lowering& op) {
  auto options = op.optional_options<schema::SubOptions>();
  if (!options) return failure;
  // pot_scale_int16 chooses another arithmetic only in kernels that reference TensorFlow Lite no longer uses.
  const schema::SubOptions* o = *options;
  const auto none = schema::ActivationFunctionType::NONE;
  return lower_elementwise(op, "Sub", o == nullptr ? none : o->fused_activation_function());
}

}  // namespace byoc::tflite
