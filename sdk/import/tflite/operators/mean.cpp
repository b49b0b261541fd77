#include "sdk/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// Input 1: the axes, int32; negative ones count from the last.
Result<void> lower_mean(Lowering& op) {
  auto options = op.optional_options<schema::ReducerOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_activations(x, y)) return failure;
  auto axes = op.integers(op.input(1), "the axes");
  if (!axes) return failure;
  const bool keep = *options != nullptr && (*options)->keep_dims();
  const auto rank = static_cast<std::int64_t>(op.rank(x));
  std::vector<bool> reduced(op.rank(x), false);
  for (std::int64_t& axis : *axes) {
    if (axis < -rank || axis >= rank)
      return op.refuse("axis out of range", std::to_string(axis),
                       std::to_string(-rank) + " to " + std::to_string(rank - 1));
    if (axis < 0) axis += rank;
    reduced[static_cast<std::size_t>(axis)] = true;
  }
  std::vector<std::int64_t> once;  // upstream lets an axis be named twice, ONNX does not
  std::vector<ir::Dim> expected;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i]) once.push_back(static_cast<std::int64_t>(i));
    if (!reduced[i]) expected.push_back(op.dims(x)[i]);
    if (reduced[i] && keep) expected.push_back(1);
  }
  if (!op.expect_dims(y, expected)) return failure;
  ir::Node& node = op.node("ReduceMean", {x, op.add_integers(once)});
  node.attributes["keepdims"] = std::int64_t{keep};
  // Without axes ONNX reduces all, TensorFlow none.
  if (once.empty()) node.attributes["noop_with_empty_axes"] = std::int64_t{1};
  return {};
}

}  // namespace byoc::tflite
