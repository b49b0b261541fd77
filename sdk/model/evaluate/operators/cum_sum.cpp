// CumSum, and CumProd: the sums, or products, of the elements up to each one along an axis.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

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

// The rows of [outer, count, inner], each in the order in which it is summed up.
struct CumulatedRows {
  std::int64_t outer = 1, count = 1, inner = 1;
  bool exclusive = false, reverse = false;

  // begin() gives what a row starts with, next(sum, at) adds element `at`, and give(at, sum) takes its result.
  template <class Begin, class Next, class Give>
  void walk(Begin&& begin, Next&& next, Give&& give) const {
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t i = 0; i < inner; ++i) {
        auto sum = begin();
        for (std::int64_t k = 0; k < count; ++k) {
          const auto at = static_cast<std::size_t>((o * count + (reverse ? count - 1 - k : k)) * inner + i);
          const auto before = sum;
          sum = next(sum, at);
          give(at, exclusive ? before : sum);
        }
      }
  }
};

// Accumulates like ADD: with 20 more bits, at twice the scale. A row starts with the negated zero point, not with zero.
// Sums beyond 32 bits, which upstream leaves undefined, wrap around.
Outcome cum_sum_tflite(const Call& call, const CumulatedRows& rows) {
  if (call.in(0).type.dtype != DType::i8) return call.unsupported_dtype(0, "i8, or a number without quantisation");
  const Result<Affine> in = affine_input(call, 0), out = affine_output(call);
  if (!in || !out) return failure;
  const double scale = static_cast<double>(in->scale), twice = 2 * scale;
  const Multiplier m_in = quantise_multiplier(scale / twice);
  const Multiplier m_out = quantise_multiplier(twice / ((1 << 20) * static_cast<double>(out->scale)));
  const auto scaled = [&](std::int64_t q) {
    return multiply_by_quantised(static_cast<std::int32_t>(q * (1 << 20)), m_in);
  };
  const std::vector<std::int64_t> x = whole_numbers(call.in(0));
  std::vector<std::int64_t> y(x.size());
  rows.walk([&] { return scaled(-in->zero_point); },
            [&](std::int32_t sum, std::size_t at) {
              return static_cast<std::int32_t>(std::int64_t{sum} + scaled(x[at] - in->zero_point));
            },
            [&](std::size_t at, std::int32_t sum) {
              y[at] = std::clamp(multiply_by_quantised(sum, m_out) + out->zero_point, out->range.low, out->range.high);
            });
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, y));
}

Outcome cumulated(const Call& call, bool product) {
  const Dims& dims = *call.in(0).type.dims;
  const Result<std::vector<std::int64_t>> given = call.integers(1);
  if (!given) return failure;
  if (given->size() != 1) return call.error("the axis must have one element", describe(call.in(1)));
  const Result<std::size_t> axis = call.axis((*given)[0], std::max<std::size_t>(dims.size(), 1));
  if (!axis) return failure;
  CumulatedRows rows;
  for (std::size_t i = 0; i < dims.size(); ++i)
    (i < *axis ? rows.outer : i == *axis ? rows.count : rows.inner) *= dims[i];
  rows.exclusive = call.node.integer("exclusive", 0) != 0;
  rows.reverse = call.node.integer("reverse", 0) != 0;
  if (is_quantised(call) && call.tflite() && !product) return cum_sum_tflite(call, rows);
  if (call.in(0).type.quantisation) return call.unsupported_dtype(0, "a number without quantisation");
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims);
  if (!y) return failure;
  bool known = false;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      known = true;
      const std::span<const T> x = elements<T>(call.in(0));
      rows.walk([&] { return product ? Sum<T>{1} : Sum<T>{0}; },
                [&](Sum<T> sum, std::size_t at) { return product ? sum * term(x[at]) : sum + term(x[at]); },
                [&](std::size_t at, Sum<T> sum) { y->as<T>()[at] = rounded<T>(sum); });
    }
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  return single(std::move(*y));
}

}  // namespace

Outcome cum_sum(const Call& call) { return cumulated(call, false); }
Outcome cum_prod(const Call& call) { return cumulated(call, true); }

}  // namespace byoc::evaluate
