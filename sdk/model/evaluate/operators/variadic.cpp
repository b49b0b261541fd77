// Sum, Min, Max, Mean of any number of operands, with broadcasting.
#include <array>
#include <cmath>
#include <limits>

#include "sdk/model/evaluate/index.hpp"
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/pairs_tflite.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

enum class Combine { sum, min, max };

// Integers wrap around; NaN wins over every number.
template <class T>
T combine(Combine how, T a, T b) {
  if (how == Combine::sum) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
      return a + b;
  }
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  return (how == Combine::min) == (a < b) ? a : b;
}

// Each sum of two floats is rounded to their type, as a chain of Add rounds; integers are combined in their own type.
template <class T>
using Working = std::conditional_t<kIsFloat<T>, double, T>;

template <class T>
void combine_all(const Call& call, Combine how, const Dims& dims, Buffer& y, bool mean) {
  std::vector<Working<T>> sum(y.as<T>().size());
  for (std::size_t i = 0; i < call.count(); ++i) {
    const std::span<const T> x = elements<T>(call.in(i));
    std::size_t next = 0;
    walk<1>(dims, {broadcast_strides(*call.in(i).type.dims, dims)}, [&](const std::array<std::int64_t, 1>& at) {
      Working<T> value;
      if constexpr (kIsFloat<T>)
        value = widen(x[static_cast<std::size_t>(at[0])]);
      else
        value = x[static_cast<std::size_t>(at[0])];
      if (i != 0) value = combine(how, sum[next], value);
      if constexpr (kIsFloat<T>) value = widen(narrow<T>(value));
      sum[next] = value;
      ++next;
    });
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if constexpr (kIsFloat<T>)
      y.as<T>()[i] = narrow<T>(mean ? sum[i] / static_cast<double>(call.count()) : sum[i]);
    else
      y.as<T>()[i] = sum[i];
  }
}

Outcome variadic(const Call& call, Combine how, bool mean = false) {
  if (call.in(0).type.quantisation) return call.unsupported_dtype(0, "a tensor without quantisation");
  Dims dims = *call.in(0).type.dims;
  for (std::size_t i = 1; i < call.count(); ++i) {
    if (call.find(i) == nullptr) return call.error("input " + std::to_string(i) + " is missing");
    if (!call.same_dtype(0, i)) return failure;
    const std::optional<Dims> both = broadcast(dims, *call.in(i).type.dims);
    if (!both)
      return call.error("the shapes of the inputs do not broadcast", describe(dims) + " and " + describe(call.in(i)));
    dims = *both;
  }
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims);
  if (!y) return failure;
  bool computed = false;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      if (mean && !kIsFloat<T>) return;
      combine_all<T>(call, how, dims, *y, mean);
      computed = true;
    }
  });
  if (!computed) return call.unsupported_dtype(0, mean ? "a float" : "a number");
  return single(std::move(*y));
}

}  // namespace

Outcome sum(const Call& call) { return variadic(call, Combine::sum); }
Outcome min(const Call& call) {
  if (is_quantised(call) && call.tflite() && call.count() == 2) return extreme_tflite(call, false);
  return variadic(call, Combine::min);
}
Outcome max(const Call& call) {
  if (is_quantised(call) && call.tflite() && call.count() == 2) return extreme_tflite(call, true);
  return variadic(call, Combine::max);
}
Outcome mean(const Call& call) { return variadic(call, Combine::sum, true); }

}  // namespace byoc::evaluate
