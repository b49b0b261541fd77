// Gather: whole slices along one axis, picked by index; negative indices count from the end.
#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome gather(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& from = *x.type.dims;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), from.size());
  const auto indices = call.integers(1);
  const Result<Mover> mover = Mover::make(call, 0);
  if (!axis || !indices || !mover || !check_moved_quantisation(call, 0)) return failure;
  const auto at = static_cast<std::ptrdiff_t>(*axis);
  Dims dims(from.begin(), from.begin() + at);
  dims.insert(dims.end(), call.in(1).type.dims->begin(), call.in(1).type.dims->end());
  dims.insert(dims.end(), from.begin() + at + 1, from.end());
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < from.size(); ++d) (d < *axis ? outer : inner) *= d == *axis ? 1 : from[d];
  const std::int64_t length = from[*axis];
  std::int64_t target = 0;
  for (std::int64_t o = 0; o < outer; ++o)
    for (const std::int64_t index : *indices) {
      if (index < -length || index >= length)
        return call.error("index out of range", std::to_string(index),
                          "at least " + std::to_string(-length) + " and less than " + std::to_string(length));
      mover->copy(x, (o * length + (index < 0 ? index + length : index)) * inner, *y, target, inner);
      target += inner;
    }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
