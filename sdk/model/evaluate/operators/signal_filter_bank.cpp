// byoc.SignalFilterBank: triangular filters that overlap by half. Each band of the spectrum rises in one channel by its
// weights and falls in the one before by its unweights.
#include "sdk/model/evaluate/operators/signal.hpp"

namespace byoc::evaluate {
namespace {

enum : std::size_t { kSpectrum, kWeights, kUnweights, kFrequencies, kPlaces, kWidths };

bool is_inside(std::int64_t start, std::int64_t width, std::size_t size) {
  return start >= 0 && width <= static_cast<std::int64_t>(size) - start;
}

}  // namespace

Outcome signal_filter_bank(const Call& call) {
  const auto channels = setting(call, "num_channels", 1, 32767);
  if (!channels || !want_type(call, kSpectrum, DType::u32)) return failure;
  for (const std::size_t i : {kWeights, kUnweights, kFrequencies, kPlaces, kWidths})
    if (!want_type(call, i, DType::i16)) return failure;
  for (const std::size_t i : {kFrequencies, kPlaces, kWidths})
    if (!want_elements(call, i, *channels + 1)) return failure;
  const auto x = elements<std::uint32_t>(call.in(kSpectrum));
  const auto weights = elements<std::int16_t>(call.in(kWeights)),
             unweights = elements<std::int16_t>(call.in(kUnweights));
  const auto frequencies = elements<std::int16_t>(call.in(kFrequencies)),
             places = elements<std::int16_t>(call.in(kPlaces));
  const auto widths = elements<std::int16_t>(call.in(kWidths));
  Result<Buffer> y = call.allocate(DType::u64, {*channels});
  if (!y) return failure;
  const auto sums = y->as<std::uint64_t>();
  for (std::size_t band = 0; band < widths.size(); ++band) {
    if (widths[band] > 0 && (!is_inside(frequencies[band], widths[band], x.size()) ||
                             !is_inside(places[band], widths[band], weights.size()) ||
                             !is_inside(places[band], widths[band], unweights.size())))
      return call.error("a band lies outside the spectrum or the weights", "band " + std::to_string(band));
    for (std::int16_t j = 0; j < widths[band]; ++j) {
      const std::uint64_t energy = x[static_cast<std::size_t>(frequencies[band] + j)];
      const auto at = static_cast<std::size_t>(places[band] + j);
      // Band b rises in channel b - 1 and falls in channel b; the first falls only, the last rises only.
      if (band > 0) sums[band - 1] += energy * static_cast<std::uint64_t>(std::int64_t{weights[at]});
      if (band < sums.size()) sums[band] += energy * static_cast<std::uint64_t>(std::int64_t{unweights[at]});
    }
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
