#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_mul(OperatorImport& op) {
  auto options = op.optional_options<schema::MulOptions>();
  if (!options) return failure;
  const auto none = schema::ActivationFunctionType::NONE;
  auto node = import_binary(op, "", "Mul", {DType::f32, DType::i8, DType::i16, DType::i32, DType::i64});
  if (!node) return failure;
  if (op.shifted()) (*node)->attributes["scale_product"] = std::string("f32");
  return op.fuse(**node, *options == nullptr ? none : (*options)->fused_activation_function());
}

}  // namespace byoc::tflite
