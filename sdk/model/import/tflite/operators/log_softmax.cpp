#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/unary.hpp"

namespace byoc::tflite {

// Over the last dimension of x, float32 or int8.
Result<void> import_log_softmax(OperatorImport& op) {
  auto options = op.optional_options<schema::LogSoftmaxOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!expect_unary(op) || !op.expect_dtype(x, {DType::f32, DType::i8})) return failure;
  if (op.rank(x) == 0) return op.refuse("unsupported shape of " + op.describe(x), "a scalar", "1 dimension or more");
  if (op.type(y).dtype == DType::i8 && !op.expect_quantisation(y, 16.0f / 256, 127)) return failure;
  op.node("LogSoftmax", {x}).attributes["axis"] = std::int64_t{-1};
  return {};
}

}  // namespace byoc::tflite
