#include "backends/c/lower/quantise/requant_lines.hpp"

#include <algorithm>
#include <cmath>

#include "backends/layers/sum_line.hpp"
#include "byoc/onnx.hpp"

namespace byoc::c {
namespace {

using layers::SumSteps;

// Sums of a channel's products with any i8 input, on top of its bias.
void add_range(SumSteps& s, std::span<const std::int8_t> weights) {
  for (const std::int8_t w : weights) {
    s.low += w > 0 ? -128 * w : 127 * w;
    s.high += w > 0 ? 127 * w : -128 * w;
  }
}

// The requantisation of the layer's sums.
struct Requantisation {
  Scaling scaling;
  SumFactors factors;
  std::int32_t zero;
  Clamp clamp;

  [[nodiscard]] std::size_t at(std::size_t channel) const {
    return std::max(factors.scales.size(), factors.multipliers.size()) > 1 ? channel : 0;
  }
  [[nodiscard]] double scale(std::size_t channel) const {
    if (scaling == Scaling::onnx) return static_cast<double>(factors.scales[at(channel)]);
    const Multiplier& m = factors.multipliers[at(channel)];
    return std::ldexp(static_cast<double>(m.q), m.shift - 31);
  }
  [[nodiscard]] std::int32_t scaled(std::size_t channel, std::int32_t x) const {
    if (scaling == Scaling::onnx) return onnx::requantise_qlinear(x, factors.scales[at(channel)]);
    const Multiplier& m = factors.multipliers[at(channel)];
    return scaling == Scaling::exact ? onnx::requantise(x, {m, factors.ties[at(channel)]}) : nodes::multiply(x, m);
  }
  [[nodiscard]] std::int32_t result(std::size_t channel, std::int32_t x) const {
    const auto y = std::int64_t{scaled(channel, x)} + zero;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(y, clamp.low, clamp.high));
  }
};

}  // namespace

std::optional<RequantLines> lines_of(const QuantisedLayer& layer, Clamp clamp, std::span<const std::int8_t> rows,
                                     std::int64_t channels) {
  if (channels == 0 || layer.scaling == Scaling::wide || (layer.bias && !layer.bias->is_constant)) return std::nullopt;
  const Requantisation r{layer.scaling,
                         sum_factors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, channels),
                         affine(layer.out).zero, clamp};
  RequantLines out;
  out.bias = folded_bias(layer.bias, affine(layer.in).zero, row_sums(rows, channels));
  out.shift = 20;
  for (std::size_t c = 0; c < out.bias.size(); ++c) {
    if (r.scale(c) <= 0) return std::nullopt;
    out.shift = std::min(out.shift, layers::line_shift(r.scale(c)));
  }
  if (out.shift < 1) return std::nullopt;
  const std::size_t depth = rows.size() / out.bias.size();
  for (std::size_t c = 0; c < out.bias.size(); ++c) {
    SumSteps s{[&](std::int32_t x) { return r.result(c, x); }, r.scale(c), r.zero, out.bias[c], out.bias[c]};
    s.least = clamp.low;
    s.most = clamp.high;
    add_range(s, rows.subspan(c * depth, depth));
    const auto line = layers::fit_line(s, out.shift);
    if (!line) return std::nullopt;
    out.bias[c] += line->add;
    out.scales.push_back(line->scale);
    out.scales.push_back(line->start);
  }
  return out;
}

}  // namespace byoc::c
