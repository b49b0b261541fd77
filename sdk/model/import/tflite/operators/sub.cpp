#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_sub(OperatorImport& op) {
  auto options = op.optional_options<schema::SubOptions>();
  if (!options) return failure;
  // pot_scale_int16 chooses another arithmetic only in kernels that reference TensorFlow Lite no longer uses.
  const auto none = schema::ActivationFunctionType::NONE;
  auto node = import_binary(op, "", "Sub", {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64});
  if (!node) return failure;
  if (op.shifted()) (*node)->attributes["scale_product"] = std::string("f64");
  return op.fuse(**node, *options == nullptr ? none : (*options)->fused_activation_function());
}

}  // namespace byoc::tflite
