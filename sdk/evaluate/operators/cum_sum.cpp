// CumSum: the sums of the elements up to each one along an axis.
#include "sdk/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

// f32 in float32, other floats in double; integers wrap around.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, float>, float, std::conditional_t<kIsFloat<T>, double, std::uint64_t>>;

template <class T>
Sum<T> term(T v) {
  if constexpr (kIsFloat<T>)
    return static_cast<Sum<T>>(widen(v));
  else
    return static_cast<Sum<T>>(v);
}

template <class T>
T rounded(Sum<T> sum) {
  if constexpr (kIsFloat<T>)
    return narrow<T>(static_cast<double>(sum));
  else
    return static_cast<T>(sum);
}

}  // namespace

Outcome cum_sum(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  const Result<std::vector<std::int64_t>> given = call.integers(1);
  if (!given) return failure;
  if (given->size() != 1) return call.error("the axis must have one element", describe(call.in(1)));
  const Result<std::size_t> axis = call.axis((*given)[0], std::max<std::size_t>(dims.size(), 1));
  if (!axis) return failure;
  if (call.in(0).type.quantisation) return call.unsupported_dtype(0, "a number without quantisation");
  std::int64_t outer = 1, count = 1, inner = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) (i < *axis ? outer : i == *axis ? count : inner) *= dims[i];
  const bool exclusive = call.node.integer("exclusive", 0) != 0, reverse = call.node.integer("reverse", 0) != 0;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims);
  if (!y) return failure;
  bool known = false;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      known = true;
      const std::span<const T> x = elements<T>(call.in(0));
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i) {
          Sum<T> sum = 0;
          for (std::int64_t k = 0; k < count; ++k) {
            const auto at = static_cast<std::size_t>((o * count + (reverse ? count - 1 - k : k)) * inner + i);
            const Sum<T> before = sum;
            sum += term(x[at]);
            y->as<T>()[at] = rounded<T>(exclusive ? before : sum);
          }
        }
    }
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
