// byoc.SignalRfft: the first half of the spectrum of real numbers, by a transform of half the length of pairs of them.
#include "sdk/model/evaluate/operators/signal.hpp"
#include "sdk/model/evaluate/operators/signal_fft.hpp"

namespace byoc::evaluate {
namespace {

template <class T>
void spectrum(std::span<const T> x, const Fft<T>& fft, int n, std::span<T> y) {
  using A = FftArithmetic<T>;
  const auto sample = [&](int i) {
    return static_cast<std::size_t>(i) < x.size() ? x[static_cast<std::size_t>(i)] : T{};
  };
  std::vector<FftNumber<T>> pairs;
  for (int i = 0; i < n; ++i) pairs.push_back({sample(2 * i), sample(2 * i + 1)});
  const std::vector<FftNumber<T>> z = fft(pairs);
  const auto set = [&](int k, FftNumber<T> number) {
    y[static_cast<std::size_t>(2 * k)] = number.re;
    y[static_cast<std::size_t>(2 * k + 1)] = number.im;
  };
  const FftNumber<T> ends = A::divide(z[0], 2);
  set(0, {A::add(ends.re, ends.im), T{}});
  set(n, {A::subtract(ends.re, ends.im), T{}});
  for (int k = 1; k <= n / 2; ++k) {
    const auto here = A::divide(z[static_cast<std::size_t>(k)], 2);
    const auto there = A::divide(A::conjugate(z[static_cast<std::size_t>(n - k)]), 2);
    const auto even = A::add(here, there);
    const auto odd = A::multiply(A::subtract(here, there), half_turn<T>(k, n, false));
    const auto minus = [](T v) { return A::subtract(T{}, v); };
    set(k, {A::half_of_sum(even.re, odd.re), A::half_of_sum(even.im, odd.im)});
    if constexpr (sizeof(T) == 2)  // differences of 16 bits are exact as well
      set(n - k, {static_cast<T>((even.re - odd.re) >> 1), static_cast<T>((odd.im - even.im) >> 1)});
    else
      set(n - k, {A::half_of_sum(even.re, minus(odd.re)), A::half_of_sum(odd.im, minus(even.im))});
  }
}

template <class T>
Outcome rfft_of(const Call& call, int length) {
  Dims dims = *call.in(0).type.dims;
  const auto given = static_cast<std::size_t>(dims.back());
  const auto bins = static_cast<std::size_t>(length + 2);
  dims.back() = length + 2;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims);
  if (!y) return failure;
  const Fft<T> fft(length / 2, false);
  const auto x = elements<T>(call.in(0));
  for (std::size_t row = 0; row * bins < y->as<T>().size(); ++row)
    spectrum<T>(x.subspan(row * given, given), fft, length / 2, y->as<T>().subspan(row * bins, bins));
  return single(std::move(*y));
}

}  // namespace

Outcome signal_rfft(const Call& call) {
  const auto length = setting(call, "fft_length", 2, kLongestFft);
  if (!length) return failure;
  if (*length % 2 != 0) return call.error("fft_length is odd", std::to_string(*length));
  if (call.in(0).type.dims->empty() || call.in(0).type.dims->back() > *length)
    return call.error("the samples do not fit", describe(call.in(0)), "rows of at most " + std::to_string(*length));
  switch (call.in(0).type.dtype) {
    case DType::i16: return rfft_of<std::int16_t>(call, static_cast<int>(*length));
    case DType::i32: return rfft_of<std::int32_t>(call, static_cast<int>(*length));
    case DType::f32: return rfft_of<float>(call, static_cast<int>(*length));
    default: return call.unsupported_dtype(0, "i16, i32 or f32");
  }
}

}  // namespace byoc::evaluate
