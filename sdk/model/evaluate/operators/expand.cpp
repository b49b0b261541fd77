// Expand: broadcast to a shape.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome expand(const Call& call) {
  const Tensor& x = call.in(0);
  const Result<Dims> wanted = call.integers(1);
  if (!wanted) return failure;
  if (!product(*wanted)) return call.error("the shape is too large or has a negative dim", describe(*wanted));
  const std::optional<Dims> dims = broadcast(*x.type.dims, *wanted);
  if (!dims) return call.error("the input does not broadcast to the shape", describe(x), describe(*wanted));
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  Result<Buffer> y = call.allocate(x.type.dtype, *dims);
  if (!y) return failure;
  std::int64_t next = 0;
  walk<1>(*dims, {broadcast_strides(*x.type.dims, *dims)},
          [&](const std::array<std::int64_t, 1>& at) { mover->copy(x, at[0], *y, next++); });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
