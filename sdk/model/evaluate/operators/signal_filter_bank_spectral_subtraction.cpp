// byoc.SignalFilterBankSpectralSubtraction: what is left of each channel once a slow average of it, the noise, is taken
// off. Fractions have spectral_subtraction_bits, the noise has smoothing_bits more than the signal; all in 32 bits.
#include <algorithm>

#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {

Outcome signal_filter_bank_spectral_subtraction(const Call& call) {
  constexpr std::int64_t kLargest = 0xffffffff;
  const auto smoothing = setting(call, "smoothing", 0, kLargest);
  const auto rest = setting(call, "one_minus_smoothing", 0, kLargest);
  const auto odd_smoothing = setting(call, "alternate_smoothing", 0, kLargest);
  const auto odd_rest = setting(call, "alternate_one_minus_smoothing", 0, kLargest);
  const auto remaining = setting(call, "min_signal_remaining", 0, kLargest);
  const auto clamping = setting(call, "clamping", 0, 1);
  const auto up = setting(call, "smoothing_bits", 0, 31), down = setting(call, "spectral_subtraction_bits", 0, 63);
  if (!smoothing || !rest || !odd_smoothing || !odd_rest || !remaining || !clamping || !up || !down ||
      !want_type(call, 0, DType::u32) || !want_type(call, 1, DType::u32))
    return failure;
  const auto x = elements<std::uint32_t>(call.in(0)), before = elements<std::uint32_t>(call.in(1));
  if (!want_elements(call, 1, static_cast<std::int64_t>(x.size()))) return failure;
  Result<Buffer> y = call.allocate(DType::u32, *call.in(0).type.dims, 0);
  Result<Buffer> noise = call.allocate(DType::u32, *call.in(1).type.dims, 1);
  if (!y || !noise) return failure;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto fresh = static_cast<std::uint64_t>(i % 2 == 0 ? *smoothing : *odd_smoothing);
    const auto old = static_cast<std::uint64_t>(i % 2 == 0 ? *rest : *odd_rest);
    const std::uint32_t signal = x[i] << *up;
    const auto average = static_cast<std::uint32_t>((signal * fresh + before[i] * old) >> *down);
    const std::uint32_t taken_off = std::min(average, signal);
    noise->as<std::uint32_t>()[i] = *clamping != 0 ? taken_off : average;
    const auto least = static_cast<std::uint32_t>(x[i] * static_cast<std::uint64_t>(*remaining) >> *down);
    y->as<std::uint32_t>()[i] = std::max((signal - taken_off) >> *up, least);
  }
  return std::vector<Tensor>{std::move(*y).finish(), std::move(*noise).finish()};
}

}  // namespace byoc::evaluate
