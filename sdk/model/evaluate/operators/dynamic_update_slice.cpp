// DynamicUpdateSlice: a block of x replaced, at a place that is moved so that the block lies inside.
#include <algorithm>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome dynamic_update_slice(const Call& call) {
  const Tensor &x = call.in(0), &update = call.in(1);
  const Dims &dims = *x.type.dims, &block = *update.type.dims;
  if (!call.same_dtype(0, 1) || !check_moved_quantisation(call, 0) || !check_moved_quantisation(call, 1))
    return failure;
  const Result<std::vector<std::int64_t>> starts = call.integers(2);
  if (!starts) return failure;
  bool fits = block.size() == dims.size() && starts->size() == dims.size();
  for (std::size_t d = 0; fits && d < dims.size(); ++d) fits = block[d] <= dims[d];
  if (!fits)
    return call.error("the update or its place does not fit the input",
                      describe(update) + " at " + describe(call.in(2)), "inside " + describe(x));
  const Result<Mover> mover = Mover::make(call, 0);
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!mover || !y) return failure;
  mover->copy(x, 0, *y, 0, *product(dims));
  const Dims strides = row_major_strides(dims);
  std::int64_t at = 0, next = 0;
  for (std::size_t d = 0; d < dims.size(); ++d)
    at += std::clamp<std::int64_t>((*starts)[d], 0, dims[d] - block[d]) * strides[d];
  walk<1>(block, {strides},
          [&](const std::array<std::int64_t, 1>& to) { mover->copy(update, next++, *y, at + to[0]); });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
