#include <algorithm>

#include "backends/c/lower/signal/signal.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

enum : std::size_t { kSpectrum, kWeights, kUnweights, kBins, kPlaces, kWidths };

bool is_band_inside(std::int64_t start, std::int64_t width, std::int64_t size) {
  return start >= 0 && width <= size - start;
}

}  // namespace

codegen::Verdict accepts_signal_filter_bank(const Region& region, const Node& node, const TargetSpec&) {
  const auto value = [&](std::size_t i) -> const Value& { return region.values[node.inputs[i]]; };
  for (const std::size_t i : {kBins, kPlaces, kWidths})
    if (!value(i).is_constant) return refuse(Reason::not_constant, "found computed bands, expected constants");
  const auto bins = constant_elements<std::int16_t>(value(kBins)),
             places = constant_elements<std::int16_t>(value(kPlaces)),
             widths = constant_elements<std::int16_t>(value(kWidths));
  const std::int64_t weights = std::min(value(kWeights).elements(), value(kUnweights).elements());
  for (std::size_t band = 0; band < widths.size(); ++band)
    if (widths[band] > 0 && (!is_band_inside(bins[band], widths[band], value(kSpectrum).elements()) ||
                             !is_band_inside(places[band], widths[band], weights)))
      return refuse(Reason::unsupported_shape,
                    "found band " + std::to_string(band) + " outside the spectrum or the weights");
  return accepts_signal(region, node);
}

bool lower_signal_filter_bank(Emitter& emitter, const Node& node) {
  TypedStep s(emitter, node);
  std::vector<std::string> arguments = {std::to_string(node.integer("num_channels", 0))};
  for (std::size_t i = 0; i < 6; ++i) arguments.push_back(s.in(i));
  arguments.push_back(s.out(0));
  call_signal(s, "signal_filter_bank", "BYOC_SIGNAL_FILTER_BANK", arguments);
  return s.emit();
}

}  // namespace byoc::c
