// The reductions of plain tensors: each result from the list of its elements, in row-major order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators/reduce.hpp"
#include "sdk/model/evaluate/sum.hpp"

namespace byoc::evaluate {
namespace {

template <class T, class F>
T sum_of(std::span<const T> x, F&& f) {
  BlockSum<T> sum;
  for (const T v : x) sum.add(f(v));
  return sum.total();
}

template <class T>
T sum_of(std::span<const T> x) {
  return sum_of(x, [](T v) { return v; });
}

// The element that is before all others; a NaN is before numbers.
template <class Real>
Real extreme(std::span<const Real> x, Real none, bool largest) {
  Real best = none;
  for (const Real v : x)
    if (std::isnan(v) || (largest ? v > best : v < best)) best = v;
  return std::any_of(x.begin(), x.end(), [](Real v) { return std::isnan(v); }) ? std::numeric_limits<Real>::quiet_NaN()
                                                                               : best;
}

// In float32 for f32, in double for the other floats.
template <class Real>
Real reduce_reals(std::string_view op, std::span<const Real> x) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const auto square = [](Real v) { return v * v; };
  if (op == "ReduceSum") return sum_of(x);
  if (op == "ReduceMean") return sum_of(x) / static_cast<Real>(x.size());
  if (op == "ReduceProd") return std::accumulate(x.begin(), x.end(), Real{1}, std::multiplies<>{});
  if (op == "ReduceMax") return extreme(x, -kInfinity, true);
  if (op == "ReduceMin") return extreme(x, kInfinity, false);
  if (op == "ReduceL1") return sum_of(x, [](Real v) { return std::fabs(v); });
  if (op == "ReduceL2") return std::sqrt(sum_of(x, square));
  if (op == "ReduceSumSquare") return sum_of(x, square);
  if (op == "ReduceLogSum") return std::log(sum_of(x));
  // ReduceLogSumExp, shifted by the largest element.
  const Real most = extreme(x, -kInfinity, true);
  if (!std::isfinite(most)) return most;
  return std::log(sum_of(x, [&](Real v) { return std::exp(v - most); })) + most;
}

// Sums and products wrap around; roots and logarithms are taken in double and lose their fraction.
template <class T>
T reduce_integers(std::string_view op, std::span<const T> x) {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  const auto wrapped = [&](std::uint64_t initial, auto&& step) {
    for (const T v : x) initial = step(initial, static_cast<std::uint64_t>(v));
    return static_cast<T>(initial);
  };
  const std::vector<double> real(x.begin(), x.end());
  if (op == "ReduceSum") return wrapped(0, std::plus<>{});
  if (op == "ReduceProd") return wrapped(1, std::multiplies<>{});
  if (op == "ReduceSumSquare") return wrapped(0, [](std::uint64_t s, std::uint64_t v) { return s + v * v; });
  if (op == "ReduceMean") {
    std::uint64_t sum = 0;
    for (const T v : x) sum += static_cast<std::uint64_t>(v);
    return x.empty() ? T{0} : static_cast<T>(static_cast<Wide>(sum) / static_cast<Wide>(x.size()));
  }
  if (op == "ReduceL1") {
    std::uint64_t sum = 0;
    for (const T v : x)
      sum += v < T{0} ? std::uint64_t{0} - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    return static_cast<T>(sum);
  }
  if (op == "ReduceMax") return x.empty() ? std::numeric_limits<T>::min() : *std::max_element(x.begin(), x.end());
  if (op == "ReduceMin") return x.empty() ? std::numeric_limits<T>::max() : *std::min_element(x.begin(), x.end());
  if (op == "ReduceLogSumExp" && x.empty()) return std::numeric_limits<T>::min();
  return narrow<T>(reduce_reals<double>(op, real));
}

template <class T, class Element, class F>
void reduce_each(const Call& call, const Reduction& r, Buffer& y, std::span<const Element> x, F&& f) {
  std::vector<std::vector<Element>> lists(static_cast<std::size_t>(r.size));
  std::size_t next = 0;
  walk<1>(*call.in(0).type.dims, {r.write},
          [&](const std::array<std::int64_t, 1>& at) { lists[static_cast<std::size_t>(at[0])].push_back(x[next++]); });
  for (std::size_t i = 0; i < lists.size(); ++i) y.as<T>()[i] = f(std::span<const Element>(lists[i]));
}

}  // namespace

Outcome reduce_plain(const Call& call, const Reduction& r) {
  const DType dtype = call.in(0).type.dtype;
  const std::string_view op = call.node.op;
  const bool is_extreme = op == "ReduceMax" || op == "ReduceMin";
  if (!is_float(dtype) && !is_integer(dtype) && !(dtype == DType::boolean && is_extreme))
    return call.unsupported_dtype(0, is_extreme ? "a number or bool" : "a number");
  Result<Buffer> y = call.allocate(dtype, r.out);
  if (!y) return failure;
  (void)dispatch(dtype, [&]<class T>() {
    if constexpr (kIsFloat<T>) {
      with_sum_type(dtype, [&]<class Real>() {
        reduce_each<T, Real>(call, r, *y, std::span<const Real>(reals<Real>(call.in(0))), [&](std::span<const Real> x) {
          return narrow<T>(static_cast<double>(reduce_reals(op, x)));
        });
      });
    } else if constexpr (std::is_same_v<T, bool>) {
      const std::vector<std::int64_t> x = whole_numbers(call.in(0));
      reduce_each<T, std::int64_t>(call, r, *y, x, [&](std::span<const std::int64_t> list) {
        const bool wanted = op == "ReduceMax";  // any of them, or none that is not
        return (std::find(list.begin(), list.end(), wanted ? 1 : 0) != list.end()) == wanted;
      });
    } else {
      reduce_each<T, T>(call, r, *y, elements<T>(call.in(0)),
                        [&](std::span<const T> x) { return reduce_integers(op, x); });
    }
  });
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
