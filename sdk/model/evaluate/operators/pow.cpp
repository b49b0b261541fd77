// Pow: x to the power y, with broadcasting; the result has x's element type. Integers to integers are exact and wrap
// around; all others are computed in double.
#include <cmath>
#include <cstdint>
#include <vector>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"

namespace byoc::evaluate {
namespace {

// The exponents as one type, so that the loops are compiled once for each type of the base.
struct Exponents {
  std::vector<double> numbers;          // empty if base and exponent are integers
  std::vector<std::uint64_t> integers;  // those of signed types as their two's complement
  bool is_signed = false;
};

Exponents exponents_of(const Tensor& y, bool integers) {
  Exponents out;
  (void)dispatch(y.type.dtype, [&]<class B>() {
    const std::span<const B> elements_of_y = elements<B>(y);
    out.is_signed = std::is_signed_v<B>;
    if constexpr (std::is_integral_v<B>)
      if (integers) out.integers.assign(elements_of_y.begin(), elements_of_y.end());
    if (!integers)
      for (const B b : elements_of_y) out.numbers.push_back(static_cast<double>(widen(b)));
  });
  return out;
}

template <class A>
A integer_power(A base, std::uint64_t exponent, bool is_negative) {
  if (is_negative) {
    if (base == A{1}) return 1;
    if constexpr (std::is_signed_v<A>)
      if (base == A{-1}) return exponent % 2 != 0 ? A{-1} : A{1};
    return 0;  // between -1 and 1
  }
  std::uint64_t result = 1, square = static_cast<std::uint64_t>(base);
  for (std::uint64_t rest = exponent; rest != 0; rest /= 2, square *= square)
    if (rest % 2 != 0) result *= square;
  return static_cast<A>(result);
}

template <class A>
void power(const Call& call, const Dims& dims, const Exponents& exponents, Buffer& y) {
  const std::span<const A> in = elements<A>(call.in(0));
  const std::span<A> out = y.as<A>();
  std::size_t next = 0;
  const auto of = [&](A base, std::size_t at) -> A {
    if constexpr (std::is_integral_v<A>)
      if (exponents.numbers.empty()) {
        const std::uint64_t e = exponents.integers[at];
        return integer_power(base, e, exponents.is_signed && static_cast<std::int64_t>(e) < 0);
      }
    return narrow<A>(std::pow(static_cast<double>(widen(base)), exponents.numbers[at]));
  };
  walk<2>(dims, {broadcast_strides(*call.in(0).type.dims, dims), broadcast_strides(*call.in(1).type.dims, dims)},
          [&](const std::array<std::int64_t, 2>& at) {
            out[next++] = of(in[static_cast<std::size_t>(at[0])], static_cast<std::size_t>(at[1]));
          });
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
  const DType base = call.in(0).type.dtype;
  Result<Buffer> y = call.allocate(base, *dims);
  if (!y) return failure;
  const Exponents exponents = exponents_of(call.in(1), is_integer(base) && is_integer(call.in(1).type.dtype));
  (void)dispatch(base, [&]<class A>() {
    if constexpr (!std::is_same_v<A, bool>) power<A>(call, *dims, exponents, *y);
  });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
