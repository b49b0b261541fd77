#include "sdk/model/import/tflite/arg.hpp"

#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {

Result<void> import_to_arg(OperatorImport& op, const char* onnx_op) {
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, x) || !op.expect_dtype(y, {DType::i32, DType::i64})) return failure;
  auto axis = axis_input(op, op.input(1), op.rank(x));
  if (!axis) return failure;
  std::vector<ir::Dim> dims = op.dims(x);
  if (dims[*axis] < 1) return op.refuse("there is no element to find", "a dimension of 0", "1 or more");
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  if (!op.expect_dims(y, dims)) return failure;
  // ONNX's positions are int64.
  const bool is_wide = op.type(y).dtype == DType::i64;
  const ir::ValueId wide = is_wide ? y : op.add_tensor(DType::i64, dims);
  ir::Node& node = op.node(onnx_op, {x}, {wide});
  node.attributes["axis"] = static_cast<std::int64_t>(*axis);
  node.attributes["keepdims"] = std::int64_t{0};
  if (!is_wide) op.node("Cast", {wide}).attributes["to"] = onnx_number(DType::i32);
  return {};
}

}  // namespace byoc::tflite
