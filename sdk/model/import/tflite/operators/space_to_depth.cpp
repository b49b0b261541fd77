#include "sdk/model/import/tflite/blocks.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"

namespace byoc::tflite {

// [N, H, W, C] becomes [N, H / b, W / b, b * b * C].
Result<void> import_space_to_depth(OperatorImport& op) {
  auto options = op.options<schema::SpaceToDepthOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y) || !op.expect_rank(x, 4)) return failure;
  const ir::Dim b = (*options)->block_size();
  const std::vector<ir::Dim> d = op.dims(x);
  if (b < 1 || d[1] % b != 0 || d[2] % b != 0)
    return op.refuse("block_size does not divide height and width", std::to_string(b),
                     "a divisor of " + std::to_string(d[1]) + " and " + std::to_string(d[2]));
  if (!op.expect_dims(y, {d[0], d[1] / b, d[2] / b, d[3] * b * b})) return failure;
  regroup(op, x, y, {d[0], d[1] / b, b, d[2] / b, b, d[3]}, {0, 1, 3, 2, 4, 5});
  return {};
}

}  // namespace byoc::tflite
