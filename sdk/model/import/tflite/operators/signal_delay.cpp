#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x i16 [..., n] -> y i16 [..., n]: what has been before x, then x; the end of it is for the next run.
Result<void> import_signal_delay(OperatorImport& op) {
  constexpr std::int64_t kMost = 1 << 24;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_dtype(x, {DType::i16}) || !op.expect_dtype(y, {DType::i16}) || !op.expect_dims(y, op.dims(x)) ||
      !op.expect_equal_quantisation(x, y))
    return failure;
  if (op.rank(x) == 0) return op.refuse("unsupported shape of " + op.describe(x), "a scalar", "1 dimension or more");
  const auto delay = op.option("delay_length", 0, kMost);
  if (!delay) return failure;
  if (*delay == 0) {
    op.node("Identity", {x});
    return {};
  }
  std::vector<ir::Dim> dims = op.dims(x);
  const ir::Dim length = dims.back();
  dims.back() = *delay;
  ir::TensorType kept = op.type(x);
  kept.dims = dims;
  const auto before = op.add_state(kept);
  if (!before) return failure;
  const ir::ValueId after = op.add_tensor(x, dims);
  op.set_next_state(*before, after);
  dims.back() = *delay + length;
  const ir::ValueId line = op.add_tensor(x, dims);
  const auto last = static_cast<std::int64_t>(dims.size()) - 1;
  op.node("Concat", {*before, x}, {line}).attributes["axis"] = last;
  op.node("Split", {line, op.add_integers({length, *delay})}, {y, after}).attributes["axis"] = last;
  return {};
}

}  // namespace byoc::tflite
