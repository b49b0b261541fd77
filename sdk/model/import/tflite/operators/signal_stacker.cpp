#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// x i16 [n] -> y i16 [n * (left + right + 1)], and whether the output is valid. The output is the stack itself, which
// the next run continues.
Result<void> import_signal_stacker(OperatorImport& op) {
  constexpr std::int64_t kMost = 1 << 15;
  const ir::ValueId x = op.input(0), y = op.output(0), valid = op.output(1);
  if (!op.expect_dtype(x, {DType::i16}) || !op.expect_rank(x, 1) || !op.expect_dtype(y, {DType::i16}) ||
      !op.expect_dtype(valid, {DType::boolean}) || !op.expect_dims(valid, {}))
    return failure;
  const ir::Dim channels = op.dims(x)[0];
  const auto left = op.option("stacker_left_context", 0, kMost), right = op.option("stacker_right_context", 0, kMost);
  if (!left || !right || !op.option("num_channels", channels, channels)) return failure;
  const std::int64_t frames = *left + *right + 1;
  const auto step = op.option("stacker_step", 1, frames);
  if (!step || !op.expect_dims(y, {channels * frames})) return failure;
  const auto stack = op.add_state(op.type(y));
  const auto held = op.add_state({DType::i32, std::vector<ir::Dim>{1}, std::nullopt});
  if (!stack || !held) return failure;
  const ir::ValueId now = op.add_tensor(DType::i32, {1});
  op.set_next_state(*stack, y);
  op.set_next_state(*held, now);
  ir::Node& node = op.byoc_node("SignalStacker", {x, *stack, *held}, {y, valid, now});
  node.attributes["left_context"] = *left;
  node.attributes["right_context"] = *right;
  node.attributes["step"] = *step;
  return {};
}

}  // namespace byoc::tflite
