#include "sdk/model/import/tflite/blocks.hpp"

#include <algorithm>

namespace byoc::tflite {
namespace {

constexpr std::int64_t kLongestBlock = INT32_MAX;  // so that sums and products with lengths stay in 64 bits

}  // namespace

Result<Blocks> read_blocks(OperatorImport& op, const char* edges) {
  Blocks out;
  auto lengths = op.integers(op.input(1), "the block shape");
  auto around = op.integers(op.input(2), edges);
  if (!lengths || !around) return failure;
  const auto count = static_cast<ir::Dim>(lengths->size());
  if (count < 1 || lengths->size() + 1 > op.rank(op.input(0)))
    return op.refuse("blocks need a batch before and as many dimensions in " + op.describe(op.input(0)),
                     std::to_string(count) + " blocks for " + std::to_string(op.rank(op.input(0))) + " dimensions");
  if (!op.expect_dims(op.input(1), {count}) || !op.expect_dims(op.input(2), {count, 2})) return failure;
  std::int64_t block = 1;
  for (const std::int64_t b : *lengths)
    if (b < 1 || b > kLongestBlock || __builtin_mul_overflow(block, b, &block) || block > kLongestBlock)
      return op.refuse("block length out of range", std::to_string(b), "1 or more");
  for (const std::int64_t e : *around)
    if (e < 0 || e > kLongestBlock)
      return op.refuse(std::string(edges) + " are out of range", std::to_string(e), "0 or more");
  out.lengths = std::move(*lengths);
  out.edges = std::move(*around);
  return out;
}

void regroup(OperatorImport& op, ir::ValueId x, ir::ValueId to, const std::vector<ir::Dim>& split,
             const std::vector<std::int64_t>& perm) {
  std::vector<ir::Dim> moved;
  for (const std::int64_t p : perm) moved.push_back(split[static_cast<std::size_t>(p)]);
  const ir::ValueId groups = op.add_tensor(x, split), turned = op.add_tensor(to, moved);
  op.reshape(x, groups);
  op.transpose(groups, turned, perm);
  op.reshape(turned, to);
}

}  // namespace byoc::tflite
