// Concat along one axis.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome concat(const Call& call) {
  const std::size_t rank = call.in(0).type.dims->size();
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", 0), rank);
  const Result<Mover> mover = Mover::make(call, 0);
  if (!axis || !mover) return failure;
  Dims dims = *call.in(0).type.dims;
  dims[*axis] = 0;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!call.same_dtype(0, i) || !check_moved_quantisation(call, i)) return failure;
    Dims other = *call.in(i).type.dims;
    const bool fits = other.size() == rank;
    const std::int64_t length = fits ? other[*axis] : 0;
    if (fits) other[*axis] = dims[*axis];
    if (!fits || other != dims || __builtin_add_overflow(dims[*axis], length, &dims[*axis]))
      return call.error("input " + std::to_string(i) + " does not fit the first", describe(call.in(i)),
                        describe(call.in(0)) + " but for axis " + std::to_string(*axis));
  }
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims);
  if (!y) return failure;
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < rank; ++d) (d < *axis ? outer : inner) *= d == *axis ? 1 : dims[d];
  std::int64_t target = 0;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < call.count(); ++i) {
      const std::int64_t run = (*call.in(i).type.dims)[*axis] * inner;
      mover->copy(call.in(i), o * run, *y, target, run);
      target += run;
    }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
