#include "sdk/model/import/tflite/blocks.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// [N, H, W, b * b * C] becomes [N, H * b, W * b, C].
Result<void> import_depth_to_space(OperatorImport& op) {
  auto options = op.options<schema::DepthToSpaceOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_rank(x, 4)) return failure;
  const ir::Dim b = (*options)->block_size();
  const std::vector<ir::Dim> d = op.dims(x);
  if (b < 1 || d[3] % (b * b) != 0)
    return op.refuse("the square of block_size does not divide the channels", std::to_string(b),
                     std::to_string(d[3]) + " channels");
  const ir::Dim channels = d[3] / (b * b);
  if (!op.expect_dims(y, {d[0], d[1] * b, d[2] * b, channels})) return failure;
  regroup(op, x, y, {d[0], d[1], d[2], b, b, channels}, {0, 1, 3, 2, 4, 5});
  return {};
}

}  // namespace byoc::tflite
