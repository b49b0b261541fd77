// Where: elements of the second operand where the condition holds, else of the third.
#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/movement.hpp"

namespace byoc::evaluate {

Outcome where(const Call& call) {
  if (call.in(0).type.dtype != DType::boolean) return call.unsupported_dtype(0, "bool");
  if (!call.same_dtype(1, 2)) return failure;
  std::optional<Dims> dims = broadcast(*call.in(1).type.dims, *call.in(2).type.dims);
  if (dims) dims = broadcast(*call.in(0).type.dims, *dims);
  if (!dims)
    return call.error("the shapes of the inputs do not broadcast",
                      describe(call.in(0)) + ", " + describe(call.in(1)) + " and " + describe(call.in(2)));
  const Result<Mover> mover = Mover::make(call, 1);
  if (!mover || !check_moved_quantisation(call, 1) || !check_moved_quantisation(call, 2)) return failure;
  Result<Buffer> y = call.allocate(call.in(1).type.dtype, *dims);
  if (!y) return failure;
  const auto condition = elements<bool>(call.in(0));
  std::int64_t next = 0;
  walk<3>(*dims,
          {broadcast_strides(*call.in(0).type.dims, *dims), broadcast_strides(*call.in(1).type.dims, *dims),
           broadcast_strides(*call.in(2).type.dims, *dims)},
          [&](const std::array<std::int64_t, 3>& at) {
            const bool first = condition[static_cast<std::size_t>(at[0])];
            mover->copy(call.in(first ? 1 : 2), at[first ? 1 : 2], *y, next++);
          });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
