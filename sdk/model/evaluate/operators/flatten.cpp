// Flatten: a matrix of [product of the dims before axis, product of the rest].
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome flatten(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  const auto rank = static_cast<std::int64_t>(dims.size());
  std::int64_t axis = call.node.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return call.error("axis out of range", std::to_string(axis), std::to_string(-rank) + " to " + std::to_string(rank));
  if (axis < 0) axis += rank;
  // A scalar has one element whatever the axis.
  Dims out{1, 1};
  for (std::int64_t i = 0; i < rank; ++i) out[i < axis ? 0 : 1] *= dims[static_cast<std::size_t>(i)];
  return same_bytes(call, std::move(out));
}

}  // namespace byoc::evaluate
