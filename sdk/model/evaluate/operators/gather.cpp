// Gather: whole slices along one axis, picked by index; negative indices count from the end.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome gather(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& from = *x.type.dims;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), from.size());
  const auto indices = call.integers(1);
  const Result<Mover> mover = Mover::make(call, 0);
  if (!axis || !indices || !mover || !check_moved_quantisation(call, 0)) return failure;
  // The first batch_dims dimensions of x and the indices run together (TFLite's; 0 in ONNX).
  const Dims& positions = *call.in(1).type.dims;
  const std::int64_t batch_dims = call.node.integer("batch_dims", 0);
  if (batch_dims < 0 || batch_dims > static_cast<std::int64_t>(std::min(*axis, positions.size())) ||
      !std::equal(positions.begin(), positions.begin() + batch_dims, from.begin()))
    return call.error("attribute batch_dims does not fit the shapes", std::to_string(batch_dims));
  const auto at = static_cast<std::ptrdiff_t>(*axis);
  Dims dims(from.begin(), from.begin() + at);
  dims.insert(dims.end(), positions.begin() + batch_dims, positions.end());
  dims.insert(dims.end(), from.begin() + at + 1, from.end());
  Result<Buffer> y = call.allocate(x.type.dtype, dims);
  if (!y) return failure;
  std::int64_t batches = 1, outer = 1, inner = 1, picks = 1;
  for (std::size_t d = 0; d < from.size(); ++d)
    (static_cast<std::int64_t>(d) < batch_dims ? batches : d < *axis ? outer : inner) *= d == *axis ? 1 : from[d];
  for (std::size_t d = static_cast<std::size_t>(batch_dims); d < positions.size(); ++d) picks *= positions[d];
  const std::int64_t length = from[*axis];
  std::int64_t target = 0;
  for (std::int64_t row = 0; row < batches * outer; ++row)
    for (std::int64_t pick = 0; pick < picks; ++pick) {
      const std::int64_t index = (*indices)[static_cast<std::size_t>(row / outer * picks + pick)];
      if (index < -length || index >= length)
        return call.error("index out of range", std::to_string(index),
                          "at least " + std::to_string(-length) + " and less than " + std::to_string(length));
      mover->copy(x, (row * length + (index < 0 ? index + length : index)) * inner, *y, target, inner);
      target += inner;
    }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
