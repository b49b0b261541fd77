// ReverseSequence: for each batch, its first `length` time steps in reverse.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome reverse_sequence(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  const std::int64_t batch_axis = call.node.integer("batch_axis", 1);
  const std::int64_t time_axis = call.node.integer("time_axis", 0);
  const Result<Mover> mover = Mover::make(call, 0);
  const auto lengths = call.integers(1);
  if (!mover || !lengths || !check_moved_quantisation(call, 0)) return failure;
  if (dims.size() < 2 || batch_axis < 0 || batch_axis > 1 || time_axis != 1 - batch_axis)
    return call.error("batch_axis and time_axis must be 0 and 1",
                      std::to_string(batch_axis) + " and " + std::to_string(time_axis));
  const std::int64_t batches = dims[static_cast<std::size_t>(batch_axis)];
  const std::int64_t steps = dims[static_cast<std::size_t>(time_axis)];
  if (std::ssize(*lengths) != batches)
    return call.error("needs one length for each batch", describe(call.in(1)), std::to_string(batches));
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t inner = 1;
  for (std::size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
  const auto at = [&](std::int64_t b, std::int64_t t) {
    return (batch_axis == 0 ? b * steps + t : t * batches + b) * inner;
  };
  for (std::int64_t b = 0; b < batches; ++b) {
    const std::int64_t length = (*lengths)[static_cast<std::size_t>(b)];
    if (length < 0 || length > steps)
      return call.error("length out of range", std::to_string(length), "0 to " + std::to_string(steps));
    for (std::int64_t t = 0; t < steps; ++t)
      mover->copy(x, at(b, t < length ? length - 1 - t : t), *y, at(b, t), inner);
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
