#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 0: int32 [n]. The n rows of input 1, [rows, ...]; those of an int8 table may become float32.
Result<void> import_embedding_lookup(OperatorImport& op) {
  const ir::ValueId at = op.input(0), table = op.input(1), y = op.output();
  if (!op.expect_dtype(at, {DType::i32}) || !op.expect_rank(at, 1)) return failure;
  if (!op.expect_dtype(table, {DType::f32, DType::i8}) || !op.expect_dtype(y, {DType::f32, DType::i8})) return failure;
  const bool dequantises = op.type(table).dtype == DType::i8 && op.type(y).dtype == DType::f32;
  if (!dequantises && !op.expect_moved(table, y)) return failure;
  std::vector<ir::Dim> dims = op.dims(table);
  if (dims.size() < 2)
    return op.refuse("unsupported shape of " + op.describe(table), std::to_string(dims.size()) + " dimensions",
                     "2 or more");
  const ir::Dim rows = dims[0];
  dims[0] = op.dims(at)[0];
  if (!op.expect_dims(y, dims)) return failure;
  if (op.value(at).constant) {
    auto known = op.integers(at, "the rows");
    if (!known) return failure;
    for (const std::int64_t i : *known)
      if (i < 0 || i >= rows)
        return op.refuse("a row is out of range", std::to_string(i), "0 to " + std::to_string(rows - 1));
  }
  if (dequantises) {
    if (!op.expect_quantised(table, {DType::i8})) return failure;
    if (const std::int64_t zero = op.type(table).quantisation->zero_points[0]; zero != 0)
      return op.refuse("unsupported zero point of " + op.describe(table), std::to_string(zero), "0");
  }
  const ir::ValueId rows_found = dequantises ? op.add_tensor(table, dims) : y;
  op.node("Gather", {table, at}, {rows_found}).attributes["axis"] = std::int64_t{0};
  if (dequantises) op.byoc_node("Dequantize", {rows_found});
  return {};
}

}  // namespace byoc::tflite
