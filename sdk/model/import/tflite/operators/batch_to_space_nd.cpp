#include "sdk/model/import/tflite/blocks.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/pieces.hpp"

namespace byoc::tflite {

// Input 1: a block length for each of the dimensions behind the batch. Input 2: what is cut off them, before and after.
// [b ..., B, d ..., rest] becomes [B, d * b ..., rest] without what is cut off.
Result<void> import_batch_to_space_nd(OperatorImport& op) {
  auto options = op.optional_options<schema::BatchToSpaceNDOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto blocks = read_blocks(op, "the crops");
  if (!blocks) return failure;
  const std::vector<ir::Dim> from = op.dims(x);
  const std::size_t count = blocks->lengths.size();
  std::int64_t block = 1;
  for (const std::int64_t b : blocks->lengths) block *= b;
  if (from[0] % block != 0)
    return op.refuse("the batch is no multiple of the blocks", std::to_string(from[0]),
                     "a multiple of " + std::to_string(block));
  std::vector<ir::Dim> split = blocks->lengths, whole = from, dims;
  split.insert(split.end(), from.begin(), from.end());
  split[count] = whole[0] = from[0] / block;
  std::vector<Cut> cuts = {{0, 1, whole[0]}};
  std::vector<std::int64_t> perm = {static_cast<std::int64_t>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t d = i + 1;
    whole[d] *= blocks->lengths[i];
    const std::int64_t left = whole[d] - blocks->edges[2 * i] - blocks->edges[2 * i + 1];
    if (left < 0)
      return op.refuse("the crops are longer than dimension " + std::to_string(d), {}, std::to_string(whole[d]));
    cuts.push_back({blocks->edges[2 * i], 1, left});
    perm.push_back(static_cast<std::int64_t>(count + d));
    perm.push_back(static_cast<std::int64_t>(i));
  }
  for (std::size_t d = count + 1; d < from.size(); ++d) {
    cuts.push_back({0, 1, from[d]});
    perm.push_back(static_cast<std::int64_t>(count + d));
  }
  for (const Cut& c : cuts) dims.push_back(c.count);
  if (!op.expect_dims(y, dims)) return failure;
  const ir::ValueId space = dims == whole ? y : op.add_tensor(y, whole);
  regroup(op, x, space, split, perm);
  if (space != y) slice(op, space, y, cuts);
  return {};
}

}  // namespace byoc::tflite
