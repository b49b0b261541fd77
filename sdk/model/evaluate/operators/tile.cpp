// Tile: the input repeated along each dim.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome tile(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& from = *x.type.dims;
  const Result<Dims> repeats = call.integers(1);
  const Result<Mover> mover = Mover::make(call, 0);
  if (!repeats || !mover || !check_moved_quantisation(call, 0)) return failure;
  if (repeats->size() != from.size())
    return call.error("needs one repeat for each dim", describe(*repeats), describe(x));
  Dims dims = from;
  for (std::size_t d = 0; d < dims.size(); ++d)
    if ((*repeats)[d] < 0 || __builtin_mul_overflow(dims[d], (*repeats)[d], &dims[d]))
      return call.error("repeats are negative or too large", describe(*repeats));
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  const Dims read = row_major_strides(from);
  const Dims write = row_major_strides(dims);
  for (std::int64_t i = 0; i < y->type.elements(); ++i) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) at += i / write[d] % dims[d] % from[d] * read[d];
    mover->copy(x, at, *y, i);
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
