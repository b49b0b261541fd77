// Transpose: output dim i is input dim perm[i]; by default the dims in reverse.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome transpose(const Call& call) {
  const Tensor& x = call.in(0);
  const std::size_t rank = x.type.dims->size();
  Dims reversed(rank);
  for (std::size_t i = 0; i < rank; ++i) reversed[i] = static_cast<std::int64_t>(rank - 1 - i);
  const Dims perm = call.node.integers("perm", reversed);
  const Dims strides = row_major_strides(*x.type.dims);
  Dims dims, read;
  std::vector<bool> used(rank, false);
  for (const std::int64_t p : perm) {
    if (p < 0 || static_cast<std::size_t>(p) >= rank || used[static_cast<std::size_t>(p)] || perm.size() != rank)
      return call.error("perm is not a permutation of the input's dims", describe(perm), describe(x));
    used[static_cast<std::size_t>(p)] = true;
    dims.push_back((*x.type.dims)[static_cast<std::size_t>(p)]);
    read.push_back(strides[static_cast<std::size_t>(p)]);
  }
  if (dims.size() != rank)
    return call.error("perm is not a permutation of the input's dims", describe(perm), describe(x));
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t next = 0;
  walk<1>(dims, {read}, [&](const std::array<std::int64_t, 1>& at) { mover->copy(x, at[0], *y, next++); });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
