// Mod: the remainder has the sign of the divisor; with fmod, of the dividend, as C has it.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"

namespace byoc::evaluate {
namespace {

template <class T>
T remainder(T a, T b, bool truncates) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;  // also where the quotient does not fit
  const T r = static_cast<T>(a % b);
  if (truncates || r == 0 || (r < 0) == (b < 0)) return r;
  return static_cast<T>(r + b);
}

}  // namespace

Outcome mod(const Call& call) {
  const Result<Dims> dims = broadcast_operands(call);
  if (!dims || !call.same_dtype(0, 1)) return failure;
  const DType dtype = call.in(0).type.dtype;
  const bool truncates = call.node.integer("fmod", 0) != 0;
  if (is_float(dtype) && !truncates) return call.error("floats need fmod", "fmod 0", "fmod 1");
  if ((!is_float(dtype) && !is_integer(dtype)) || call.in(0).type.quantisation)
    return call.unsupported_dtype(0, "a number without quantisation");
  Result<Buffer> y = call.allocate(dtype, *dims);
  if (!y) return failure;
  bool divides_by_zero = false;
  (void)dispatch(dtype, [&]<class T>() {
    for_each_pair<T, T, T>(call, *dims, *y, [&](T a, T b) {
      if constexpr (kIsFloat<T>) {
        return narrow<T>(std::fmod(widen(a), widen(b)));
      } else if constexpr (std::is_same_v<T, bool>) {
        return false;
      } else {
        divides_by_zero = divides_by_zero || b == 0;
        return b == 0 ? T{0} : remainder(a, b, truncates);
      }
    });
  });
  if (divides_by_zero) return call.error("divides an integer by zero");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
