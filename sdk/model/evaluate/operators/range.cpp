// Range: start, start + delta ... up to limit, which is not among them.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

// Steps of `delta` from `start` that stay before `limit`.
template <class T>
std::int64_t length(T start, T limit, T delta) {
  if constexpr (std::is_floating_point_v<T>) {
    const double n = std::ceil((limit - start) / delta);
    return std::isnan(n) || n <= 0 ? 0
           : n >= 1e18             ? std::numeric_limits<std::int64_t>::max()
                                   : static_cast<std::int64_t>(n);
  } else {
    if (delta > 0 ? start >= limit : start <= limit) return 0;
    const std::uint64_t distance = delta > 0 ? static_cast<std::uint64_t>(limit) - static_cast<std::uint64_t>(start)
                                             : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(limit);
    const std::uint64_t step =
        delta > 0 ? static_cast<std::uint64_t>(delta) : std::uint64_t{0} - static_cast<std::uint64_t>(delta);
    return static_cast<std::int64_t>(std::min<std::uint64_t>((distance - 1) / step + 1, INT64_MAX));
  }
}

}  // namespace

Outcome range(const Call& call) {
  if (!call.same_dtype(0, 1) || !call.same_dtype(0, 2)) return failure;
  for (std::size_t i = 0; i < 3; ++i)
    if (call.in(i).type.elements() != 1)
      return call.error("input " + std::to_string(i) + " must have one element", describe(call.in(i)));
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype) && dtype != DType::i16 && dtype != DType::i32 && dtype != DType::i64)
    return call.unsupported_dtype(0, "a float, i16, i32 or i64");
  Result<Buffer> y = failure;
  (void)dispatch(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      using Working = std::conditional_t<kIsFloat<T>, double, std::int64_t>;
      const auto number = [&](std::size_t i) {
        const T v = elements<T>(call.in(i))[0];
        if constexpr (kIsFloat<T>)
          return widen(v);
        else
          return static_cast<Working>(v);
      };
      const Working start = number(0), limit = number(1), delta = number(2);
      if (delta == 0) {
        (void)call.error("delta must not be 0");
        return;
      }
      y = call.allocate(dtype, {length(start, limit, delta)});
      if (!y) return;
      for (std::size_t i = 0; i < y->as<T>().size(); ++i) {
        if constexpr (kIsFloat<T>)
          y->as<T>()[i] = narrow<T>(start + static_cast<double>(i) * delta);
        else
          y->as<T>()[i] = static_cast<T>(static_cast<std::uint64_t>(start) + i * static_cast<std::uint64_t>(delta));
      }
    }
  });
  if (!y) return failure;
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
