#include "sdk/import/tflite/elementwise.hpp"
#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> lower_mul(Lowering& op) {
  auto options = op.optional_options<schema::MulOptions>();
  if (!options) return failure;
  const schema::MulOptions* o = *options;
  const auto none = schema::ActivationFunctionType::NONE;
  return lower_elementwise(op, "Mul", o == nullptr ? none : o->fused_activation_function());
}

}  // namespace byoc::tflite
