// PRelu: x where it is not negative, else x times the slope, which broadcasts to x.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"
#include "sdk/model/evaluate/operators/pairs_tflite.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

Outcome prelu(const Call& call) {
  if (is_quantised(call) && call.tflite()) return prelu_tflite(call);
  const Result<Dims> dims = broadcast_operands(call);
  if (!dims || !call.same_dtype(0, 1)) return failure;
  if (*dims != *call.in(0).type.dims)
    return call.error("the slope must broadcast to the input", describe(call.in(1)), describe(call.in(0)));
  const DType dtype = call.in(0).type.dtype;
  if ((!is_float(dtype) && !is_integer(dtype)) || call.in(0).type.quantisation)
    return call.unsupported_dtype(0, "a number without quantisation");
  Result<Buffer> y = call.allocate(dtype, *dims);
  if (!y) return failure;
  (void)dispatch(dtype, [&]<class T>() {
    for_each_pair<T, T, T>(call, *dims, *y, [&](T a, T b) {
      if constexpr (kIsFloat<T>)
        return widen(a) < 0 ? narrow<T>(widen(a) * widen(b)) : a;
      else
        return a < T{0} ? static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)) : a;
    });
  });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
