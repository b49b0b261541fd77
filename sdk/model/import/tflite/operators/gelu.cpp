#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

Result<void> import_gelu(OperatorImport& op) {
  auto options = op.optional_options<schema::GeluOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_element(op, x, {DType::f32}) || !expect_element(op, y, {DType::f32}) || !op.expect_dims(y, op.dims(x)))
    return failure;
  ir::Node& node = op.node("Gelu", {x});
  node.version = 20;  // the first that has it
  node.attributes["approximate"] = std::string(*options != nullptr && (*options)->approximate() ? "tanh" : "none");
  return {};
}

}  // namespace byoc::tflite
