// byoc.RightShift with broadcasting: an integer divided by a power of two and rounded down. Shifts count from 0 to one
// less than the type has bits.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"

namespace byoc::evaluate {

Outcome right_shift(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  if (!is_integer(dtype)) return call.unsupported_dtype(0, "an integer");
  if (!call.same_dtype(0, 1)) return failure;
  const Result<Dims> dims = broadcast_operands(call);
  if (!dims) return failure;
  Result<Buffer> y = call.allocate(dtype, *dims);
  if (!y) return failure;
  (void)dispatch(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      for_each_pair<T, T, T>(call, *dims, *y, [](T a, T b) {
        constexpr T kMost = sizeof(T) * 8 - 1;
        return static_cast<T>(a >> std::clamp<T>(b, 0, kMost));
      });
  });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
