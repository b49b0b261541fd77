// GatherElements and GatherND.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/indexing.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome gather_elements(const Call& call) {
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  const auto positions = element_positions(call);
  if (!positions) return failure;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, *call.in(1).type.dims);
  if (!y) return failure;
  std::int64_t next = 0;
  for (const std::int64_t at : *positions) mover->copy(call.in(0), at, *y, next++);
  return single(std::move(*y));
}

Outcome gather_nd(const Call& call) {
  const Result<Mover> mover = Mover::make(call, 0);
  if (!mover || !check_moved_quantisation(call, 0)) return failure;
  const Result<Slices> slices = tuple_slices(call, call.node.integer("batch_dims", 0));
  if (!slices) return failure;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, slices->dims);
  if (!y) return failure;
  std::int64_t target = 0;
  for (const std::int64_t at : slices->starts) {
    mover->copy(call.in(0), at, *y, target, slices->inner);
    target += slices->inner;
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
