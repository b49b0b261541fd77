#include "sdk/model/import/tflite/blocks.hpp"
#include "sdk/model/import/tflite/operators/operators.hpp"
#include "sdk/model/import/tflite/padding.hpp"

namespace byoc::tflite {

// Input 1: a block length for each of the dimensions behind the batch. Input 2: their paddings, before and after.
// [B, d * b ..., rest] becomes [b ..., d ..., B, rest] as [b * B, d ..., rest].
Result<void> import_space_to_batch_nd(OperatorImport& op) {
  auto options = op.optional_options<schema::SpaceToBatchNDOptions>();
  if (!options) return failure;
  const ir::ValueId x = op.input(0), y = op.output();
  if (!op.expect_moved(x, y)) return failure;
  auto blocks = read_blocks(op, "the paddings");
  if (!blocks) return failure;
  const std::vector<ir::Dim> from = op.dims(x);
  const std::size_t count = blocks->lengths.size();
  Paddings paddings{std::vector<std::int64_t>(from.size(), 0), std::vector<std::int64_t>(from.size(), 0), from};
  std::vector<ir::Dim> split = {from[0]}, dims = from;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t d = i + 1;
    paddings.before[d] = blocks->edges[2 * i];
    paddings.after[d] = blocks->edges[2 * i + 1];
    paddings.dims[d] += paddings.before[d] + paddings.after[d];
    if (paddings.dims[d] % blocks->lengths[i] != 0)
      return op.refuse("padded dimension " + std::to_string(d) + " is no multiple of its block",
                       std::to_string(paddings.dims[d]), "a multiple of " + std::to_string(blocks->lengths[i]));
    dims[0] *= blocks->lengths[i];
    dims[d] = paddings.dims[d] / blocks->lengths[i];
    split.push_back(dims[d]);
    split.push_back(blocks->lengths[i]);
  }
  std::vector<std::int64_t> perm;
  for (std::size_t i = 0; i < count; ++i) perm.push_back(static_cast<std::int64_t>(2 * i + 2));
  perm.push_back(0);
  for (std::size_t i = 0; i < count; ++i) perm.push_back(static_cast<std::int64_t>(2 * i + 1));
  for (std::size_t d = count + 1; d < from.size(); ++d) {
    perm.push_back(static_cast<std::int64_t>(split.size()));
    split.push_back(from[d]);
  }
  if (!op.expect_dims(y, dims)) return failure;
  ir::ValueId whole = x;
  if (paddings.dims != from) {
    whole = op.add_tensor(y, paddings.dims);
    pad(op, x, whole, paddings, "constant", ir::kNoValue);
  }
  regroup(op, whole, y, split, perm);
  return {};
}

}  // namespace byoc::tflite
