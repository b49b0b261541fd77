// Pow: x to the power y, with broadcasting; the result has x's element type. Integers to integers are exact and wrap
// around; all others are computed in double.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"

namespace byoc::evaluate {
namespace {

template <class A, class B>
A integer_power(A base, B exponent) {
  if constexpr (std::is_signed_v<B>) {
    if (exponent < 0) {
      if (base == A{1}) return 1;
      if constexpr (std::is_signed_v<A>)
        if (base == A{-1}) return exponent % 2 != 0 ? A{-1} : A{1};
      return 0;  // between -1 and 1
    }
  }
  std::uint64_t result = 1, square = static_cast<std::uint64_t>(base);
  for (auto rest = static_cast<std::uint64_t>(exponent); rest != 0; rest /= 2, square *= square)
    if (rest % 2 != 0) result *= square;
  return static_cast<A>(result);
}

}  // namespace

Outcome pow(const Call& call) {
  const Result<Dims> dims = broadcast_operands(call);
  if (!dims) return failure;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const ir::TensorType& type = call.in(i).type;
    if ((!is_float(type.dtype) && !is_integer(type.dtype)) || type.quantisation)
      return call.unsupported_dtype(i, "a number without quantisation");
  }
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, *dims);
  if (!y) return failure;
  (void)dispatch(call.in(0).type.dtype, [&]<class A>() {
    (void)dispatch(call.in(1).type.dtype, [&]<class B>() {
      for_each_pair<A, B, A>(call, *dims, *y, [](A a, B b) {
        if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && !std::is_same_v<A, bool> &&
                      !std::is_same_v<B, bool>)
          return integer_power(a, b);
        else
          return narrow<A>(std::pow(widen(a), widen(b)));
      });
    });
  });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
