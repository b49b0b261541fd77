// Add, Sub, Mul, Div with broadcasting.
#include <algorithm>
#include <concepts>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/arithmetic_quantised.hpp"

namespace byoc::evaluate {
namespace {

// Integers wrap around as the source frameworks' do; they are computed unsigned, where that is defined.
template <std::integral T>
T wrapped(auto f, T a, T b) {
  using U = std::uint64_t;
  return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
}

struct AddTo {
  template <class T>
  static T integer(T a, T b) {
    return wrapped(std::plus<>{}, a, b);
  }
  static double real(double a, double b) { return a + b; }
};
struct Subtract {
  template <class T>
  static T integer(T a, T b) {
    return wrapped(std::minus<>{}, a, b);
  }
  static double real(double a, double b) { return a - b; }
};
struct Multiply {
  template <class T>
  static T integer(T a, T b) {
    return wrapped(std::multiplies<>{}, a, b);
  }
  static double real(double a, double b) { return a * b; }
};
struct Divide {
  // Truncates; the smallest integer divided by -1 wraps to itself. The divisor is not 0.
  template <class T>
  static T integer(T a, T b) {
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return wrapped(std::minus<>{}, T{0}, a);
    return static_cast<T>(a / b);
  }
  static double real(double a, double b) { return a / b; }
};

// A float32 sum, difference, product or quotient that is computed in double and rounded is correctly rounded, because
// double has more than twice the bits. This holds for the 16-bit floats, too.
template <class F>
Outcome compute_arithmetic(const Call& call, const Dims& dims) {
  const Tensor& a = call.in(0);
  const Tensor& b = call.in(1);
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  Result<Buffer> y = call.allocate(a.type.dtype, dims);
  if (!y) return failure;
  const std::array<Dims, 2> strides{broadcast_strides(*a.type.dims, dims), broadcast_strides(*b.type.dims, dims)};
  bool known = false;
  bool divides_by_zero = false;
  const bool typed = dispatch(a.type.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      known = true;
      const std::span<const T> p = elements<T>(a);
      const std::span<const T> q = elements<T>(b);
      const std::span<T> out = y->as<T>();
      std::size_t next = 0;
      walk<2>(dims, strides, [&](const std::array<std::int64_t, 2>& at) {
        const T u = p[static_cast<std::size_t>(at[0])];
        const T v = q[static_cast<std::size_t>(at[1])];
        if constexpr (kIsFloat<T>) {
          out[next++] = narrow<T>(std::clamp(F::real(widen(u), widen(v)), bounds->low, bounds->high));
        } else {
          if (std::is_same_v<F, Divide> && v == 0) {
            divides_by_zero = true;
            return;
          }
          const T r = F::integer(u, v);
          out[next++] = static_cast<double>(r) < bounds->low    ? narrow<T>(bounds->low)
                        : static_cast<double>(r) > bounds->high ? narrow<T>(bounds->high)
                                                                : r;
        }
      });
    }
  });
  if (!typed || !known) return call.unsupported_dtype(0, "a number");
  if (divides_by_zero) return call.error("divides an integer by zero");
  return single(std::move(*y));
}

template <class F>
Outcome arithmetic(const Call& call, QuantisedBinary quantised) {
  const std::optional<Dims> dims = broadcast(*call.in(0).type.dims, *call.in(1).type.dims);
  if (!dims)
    return call.error("the shapes of the inputs do not broadcast",
                      describe(call.in(0)) + " and " + describe(call.in(1)));
  if (is_quantised(call)) return quantised(call, *dims);
  if (!call.same_dtype(0, 1)) return failure;
  return compute_arithmetic<F>(call, *dims);
}

}  // namespace

Outcome add(const Call& call) { return arithmetic<AddTo>(call, add_quantised); }
Outcome sub(const Call& call) { return arithmetic<Subtract>(call, sub_quantised); }
Outcome mul(const Call& call) { return arithmetic<Multiply>(call, mul_quantised); }
Outcome div(const Call& call) { return arithmetic<Divide>(call, div_quantised); }

}  // namespace byoc::evaluate
