#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Over the last dimension of x.
Result<void> import_softmax(OperatorImport& op) {
  auto options = op.options<schema::SoftmaxOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_activation(x) || !op.expect_dims(y, op.dims(x))) return failure;
  const bool widens = op.type(x).dtype == DType::i8 && op.type(y).dtype == DType::i16;
  if (widens ? !op.expect_quantised(y, {DType::i16}) : !op.expect_activations(x, y)) return failure;
  if (op.rank(x) == 0) return op.refuse("unsupported shape of " + op.describe(x), "a scalar", "1 dimension or more");
  if (op.type(y).dtype == DType::i8 && !op.expect_quantisation(y, 1.0f / 256, -128)) return failure;
  if (widens && !op.expect_quantisation(y, 1.0f / 65536, -32768)) return failure;
  if (!widens && op.type(y).dtype == DType::i16 && !op.expect_quantisation(y, 1.0f / 32768, 0)) return failure;
  ir::Node& node = op.node("Softmax", {x});
  node.attributes["axis"] = std::int64_t{-1};
  node.attributes["beta"] = (*options)->beta();
  return {};
}

}  // namespace byoc::tflite
