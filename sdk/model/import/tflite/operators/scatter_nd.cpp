#include "sdk/model/import/tflite/cast_type.hpp"
#include "sdk/model/import/tflite/elementwise.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Zeros to which updates are added; several at one place add up. Input 0: along its last dimension, positions in the
// first dimensions of y.
Result<void> import_scatter_nd(OperatorImport& op) {
  if (!op.optional_options<schema::ScatterNdOptions>()) return failure;
  const ir::ValueId at = op.input(0), updates = op.input(1), y = op.output();
  if (!op.expect_dtype(at, {DType::i32}) || !expect_element(op, updates, {DType::f32, DType::i32, DType::i64}) ||
      !expect_element(op, y, {op.type(updates).dtype}) || !expect_shape_input(op, op.input(2)))
    return failure;
  const std::vector<ir::Dim> to = op.dims(y), positions = op.dims(at);
  if (to.empty() || positions.empty() || positions.back() < 1 || positions.back() > static_cast<ir::Dim>(to.size()))
    return op.refuse("the last dimension of " + op.describe(at) + " must count dimensions of " + op.describe(y),
                     positions.empty() ? "a scalar" : std::to_string(positions.back()),
                     "1 to " + std::to_string(to.size()));
  std::vector<ir::Dim> dims(positions.begin(), positions.end() - 1);
  dims.insert(dims.end(), to.begin() + static_cast<std::ptrdiff_t>(positions.back()), to.end());
  if (!op.expect_dims(updates, dims)) return failure;
  if (op.value(at).constant) {
    auto known = op.integers(at, "the positions");
    if (!known) return failure;
    for (std::size_t i = 0; i < known->size(); ++i) {
      const ir::Dim size = to[i % static_cast<std::size_t>(positions.back())];
      if ((*known)[i] < 0 || (*known)[i] >= size)
        return op.refuse("a position is out of range", std::to_string((*known)[i]), "0 to " + std::to_string(size - 1));
    }
  }
  const ir::ValueId shape = op.add_integers(to), zero = op.add_integers({0});
  const ir::ValueId none = op.add_tensor(op.type(y).dtype, {1}), zeros = op.add_tensor(y, to);
  op.node("Cast", {zero}, {none}).attributes["to"] = onnx_number(op.type(y).dtype);
  op.node("Expand", {none, shape}, {zeros});
  op.node("ScatterND", {expect_at_run_time(op, zeros, op.input(2), to), at, updates}).attributes["reduction"] =
      std::string("add");
  return {};
}

}  // namespace byoc::tflite
