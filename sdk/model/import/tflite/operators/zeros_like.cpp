#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Elements of 0 as the type has it, not the zero point.
Result<void> import_zeros_like(OperatorImport& op) {
  auto options = op.optional_options<schema::ZerosLikeOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_dims(y, op.dims(x))) return failure;
  const std::vector<ir::Dim> shape = op.dims(y);
  const ir::TensorType one{op.type(y).dtype, std::vector<ir::Dim>{1}, std::nullopt};
  ir::Node& node = op.node("ConstantOfShape", {op.add_integers(shape)});
  node.attributes["value"] = ir::Tensor{one, Blob::own(std::vector<std::byte>(one.bytes()))};
  return {};
}

}  // namespace byoc::tflite
