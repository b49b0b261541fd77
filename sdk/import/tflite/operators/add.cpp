#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_add(Lowering& op) {
  auto options = op.optional_options<schema::AddOptions>();
  if (!options) return failure;
  // pot_scale_int16 chooses another arithmetic only in kernels that reference TensorFlow Lite no longer uses.
  const schema::AddOptions* o = *options;
  const auto none = schema::ActivationFunctionType::NONE;
  return lower_elementwise(op, "Add", o == nullptr ? none : o->fused_activation_function());
}

}  // namespace byoc::tflite
