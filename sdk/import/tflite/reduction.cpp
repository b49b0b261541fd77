#include "sdk/import/tflite/reduction.hpp"

namespace byoc::tflite {

Result<void> lower_reduction(Lowering& op, const char* onnx_op) {
  auto options = op.optional_options<schema::ReducerOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_activations(x, y)) return failure;
  auto axes = op.integers(op.input(1), "the axes");
  if (!axes) return failure;
  const bool keep = *options != nullptr && (*options)->keep_dims();
  std::vector<bool> reduced(op.rank(x), false);
  for (const std::int64_t named : *axes) {
    auto axis = op.axis(named, op.rank(x));
    if (!axis) return failure;
    reduced[*axis] = true;
  }
  std::vector<std::int64_t> once;  // ONNX does not let an axis be named twice
  std::vector<ir::Dim> expected;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i]) once.push_back(static_cast<std::int64_t>(i));
    if (!reduced[i]) expected.push_back(op.dims(x)[i]);
    if (reduced[i] && keep) expected.push_back(1);
  }
  if (!op.expect_dims(y, expected)) return failure;
  ir::Node& node = op.node(onnx_op, {x, op.add_integers(once)});
  node.attributes["keepdims"] = std::int64_t{keep};
  // Without axes ONNX reduces all, TensorFlow none.
  if (once.empty()) node.attributes["noop_with_empty_axes"] = std::int64_t{1};
  return {};
}

}  // namespace byoc::tflite
