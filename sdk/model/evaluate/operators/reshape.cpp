// Reshape: the same elements under another shape. 0 keeps a dim (unless allowzero), -1 takes what is left.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome reshape(const Call& call) {
  const Dims& from = *call.in(0).type.dims;
  const Result<Dims> wanted = call.integers(1);
  if (!wanted) return failure;
  if (call.in(1).type.dims->size() > 1) return call.error("the shape must have rank 1", describe(call.in(1)));
  const bool allow_zero = call.node.integer("allowzero", 0) != 0;
  Dims to = *wanted;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == 0 && !allow_zero) {
      if (i >= from.size())
        return call.error("the shape keeps a dim that the input does not have", describe(to), describe(from));
      to[i] = from[i];
    } else if (to[i] == -1) {
      if (open) return call.error("the shape has more than one -1", describe(*wanted));
      open = i;
      to[i] = 1;
    } else if (to[i] < 0) {
      return call.error("the shape has a negative dim", describe(*wanted), "-1 or more");
    }
  }
  const std::int64_t count = call.in(0).type.elements();
  const std::optional<std::int64_t> rest = product(to);
  if (open && rest && *rest != 0 && count % *rest == 0) to[*open] = count / *rest;
  if (product(to) != count)
    return call.error("the shape does not hold the input's elements", describe(*wanted), describe(call.in(0)));
  return same_bytes(call, std::move(to));
}

}  // namespace byoc::evaluate
