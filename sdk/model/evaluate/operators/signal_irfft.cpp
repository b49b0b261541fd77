// byoc.SignalIrfft: real numbers of the first half of their spectrum.
#include "sdk/model/evaluate/operators/signal.hpp"
#include "sdk/model/evaluate/operators/signal_fft.hpp"

namespace byoc::evaluate {
namespace {

template <class T>
void signal_of(std::span<const T> x, const Fft<T>& fft, int n, std::span<T> y) {
  using A = FftArithmetic<T>;
  const auto bin = [&](int k) -> FftNumber<T> {
    return {x[static_cast<std::size_t>(2 * k)], x[static_cast<std::size_t>(2 * k + 1)]};
  };
  std::vector<FftNumber<T>> z(static_cast<std::size_t>(n));
  z[0] = A::divide({A::add(bin(0).re, bin(n).re), A::subtract(bin(0).re, bin(n).re)}, 2);
  for (int k = 1; k <= n / 2; ++k) {
    const auto here = A::divide(bin(k), 2), there = A::divide(A::conjugate(bin(n - k)), 2);
    const auto even = A::add(here, there);
    const auto odd = A::multiply(A::subtract(here, there), half_turn<T>(k, n, true));
    z[static_cast<std::size_t>(k)] = A::add(even, odd);
    z[static_cast<std::size_t>(n - k)] = A::conjugate(A::subtract(even, odd));
  }
  z = fft(z);
  for (int i = 0; i < n; ++i) {
    y[static_cast<std::size_t>(2 * i)] = z[static_cast<std::size_t>(i)].re;
    y[static_cast<std::size_t>(2 * i + 1)] = z[static_cast<std::size_t>(i)].im;
  }
  // Integers have been divided on the way.
  if constexpr (!A::kFixed)
    for (T& v : y) v /= static_cast<T>(2 * n);
}

template <class T>
Outcome irfft_of(const Call& call, int length) {
  Dims dims = *call.in(0).type.dims;
  const auto bins = static_cast<std::size_t>(length + 2), samples = static_cast<std::size_t>(length);
  dims.back() = length;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, dims);
  if (!y) return failure;
  const Fft<T> fft(length / 2, true);
  const auto x = elements<T>(call.in(0));
  for (std::size_t row = 0; row * samples < y->as<T>().size(); ++row)
    signal_of<T>(x.subspan(row * bins, bins), fft, length / 2, y->as<T>().subspan(row * samples, samples));
  return single(std::move(*y));
}

}  // namespace

Outcome signal_irfft(const Call& call) {
  const auto length = setting(call, "fft_length", 2, kLongestFft);
  if (!length) return failure;
  if (*length % 2 != 0) return call.error("fft_length is odd", std::to_string(*length));
  if (call.in(0).type.dims->empty() || call.in(0).type.dims->back() != *length + 2)
    return call.error("the spectrum does not fit", describe(call.in(0)), "rows of " + std::to_string(*length + 2));
  switch (call.in(0).type.dtype) {
    case DType::i16: return irfft_of<std::int16_t>(call, static_cast<int>(*length));
    case DType::i32: return irfft_of<std::int32_t>(call, static_cast<int>(*length));
    case DType::f32: return irfft_of<float>(call, static_cast<int>(*length));
    default: return call.unsupported_dtype(0, "i16, i32 or f32");
  }
}

}  // namespace byoc::evaluate
