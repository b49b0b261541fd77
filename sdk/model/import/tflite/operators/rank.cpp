#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// The rank of x, which is known at import.
Result<void> import_rank(OperatorImport& op) {
  if (!op.optional_options<schema::RankOptions>()) return failure;
  const ir::ValueId y = op.output();
  if (!op.expect_dtype(y, {DType::i32}) || !op.expect_dims(y, {})) return failure;
  const ir::ValueId known = op.add_integers({static_cast<std::int64_t>(op.rank(op.input(0)))});
  const ir::ValueId number = op.add_tensor(DType::i32, {1});
  op.node("Cast", {known}, {number}).attributes["to"] = onnx_number(DType::i32);
  op.reshape(number, y);
  return {};
}

}  // namespace byoc::tflite
