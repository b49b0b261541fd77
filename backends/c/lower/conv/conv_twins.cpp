#include "backends/c/lower/conv/conv_twins.hpp"

#include <algorithm>
#include <cmath>

#include "backends/c/costs/cost_table.hpp"
#include "backends/c/lower/conv/conv_plan.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/requant_lines.hpp"

namespace byoc::c {
namespace {

// Four channels at a time: the biases of the first of each pair, those of the second, then each channel's own.
template <class Own>
std::vector<std::int32_t> records_of(const Convolution& c, std::span<const std::int32_t> bias, std::size_t words,
                                     Own own) {
  const auto channels = static_cast<std::size_t>(c.group_out());
  std::vector<std::int32_t> out;
  for (std::size_t first = 0; first < bias.size(); first += channels)
    for (std::size_t four = 0; four < channels; four += 4) {
      for (const std::size_t i : {0U, 2U, 1U, 3U}) out.push_back(four + i < channels ? bias[first + four + i] : 0);
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t word = 0; word < words; ++word)
          out.push_back(four + i < channels ? own(first + four + i, word) : 0);
    }
  return out;
}

}  // namespace

bool is_fast(const Multiplier& m) { return m.shift <= -2 && m.shift >= -23; }

std::vector<TwinChannels> twin_channels(const Convolution& c, const QuantisedLayer& layer,
                                        const std::vector<std::int8_t>& rows) {
  std::vector<TwinChannels> out;
  if (c.out.chan != 1 || !fits_twins({rows, c.groups, c.group_out(), c.depth()})) return out;
  if (const auto lines = lines_of(layer, c.clamp, rows, c.out.channels))
    out.push_back({true, lines->shift, records_of(c, lines->bias, 2, [&](std::size_t channel, std::size_t word) {
                     return lines->scales[2 * channel + word];
                   })});
  const SumFactors f = sum_factors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, c.out.channels);
  if (layer.scaling != Scaling::tflite || !std::all_of(f.multipliers.begin(), f.multipliers.end(), is_fast)) return out;
  const std::vector<std::int32_t> bias = folded_bias(layer.bias, affine(layer.in).zero, row_sums(rows, c.out.channels));
  const std::int32_t zero = affine(layer.out).zero;
  out.push_back({false, 0, records_of(c, bias, 3, [&](std::size_t channel, std::size_t word) {
                   const Multiplier& m = f.multipliers[f.multipliers.size() > 1 ? channel : 0];
                   const std::int32_t shift = -1 - m.shift;
                   if (word == 0) return m.q;
                   if (word == 2) return shift;
                   return static_cast<std::int32_t>(static_cast<std::uint32_t>(2 * zero + 1) << (shift - 1));
                 })});
  return out;
}

std::optional<TwinChannels> taps_channels(const Convolution& c, const QuantisedLayer& layer,
                                          const std::vector<std::int8_t>& rows) {
  const bool one_by_one = c.depthwise() && c.group_out() == 1 && c.out.channels % 4 == 0;
  if (!one_by_one || c.in.chan != 1 || c.out.chan != 1) return std::nullopt;
  const auto lines = lines_of(layer, c.clamp, rows, c.out.channels);
  if (!lines) return std::nullopt;
  TwinChannels out{true, lines->shift, {}};
  for (std::size_t first = 0; first < lines->bias.size(); first += 4) {
    for (const std::size_t i : {0U, 2U, 1U, 3U}) out.records.push_back(lines->bias[first + i]);
    const auto scales = lines->scales.begin() + static_cast<std::ptrdiff_t>(2 * first);
    out.records.insert(out.records.end(), scales, scales + 8);
  }
  return out;
}

KernelOption taps_option(const Convolution& c, const TwinChannels& channels) {
  const auto pixels = static_cast<double>(c.in.batch * c.out.height * c.out.width);
  const auto results = pixels * static_cast<double>(c.out.channels);
  KernelOption o;
  o.kernel = kTaps;
  o.work.starts = pixels;
  o.work.rows = pixels * static_cast<double>(c.taps());
  o.work.results = results;
  o.work.products = results * static_cast<double>(c.taps());
  o.constants = static_cast<std::uint64_t>(c.out.channels * c.taps()) + 4 * channels.records.size() -
                static_cast<std::uint64_t>(9 * c.out.channels);
  o.workspace = static_cast<std::uint64_t>(4 * c.taps() + c.in.channels);
  o.reads = o.work.starts *
            (static_cast<double>(c.out.channels * c.taps()) + static_cast<double>(4 * channels.records.size()));
  return o;
}

KernelOption twin_option(const Convolution& c, const TwinChannels& channels, KernelOption o) {
  const std::int64_t depth = whole_words(c.depth(), 8), pixels = c.out.height * c.out.width;
  const auto blocks = static_cast<double>(c.in.batch * c.groups) * rounded_up(pixels, 2) / 2;
  const double wide = rounded_up(c.group_out(), 4);
  o.kernel = channels.kernel();
  o.suffix = "";
  o.work.starts = blocks * wide / 4;
  o.work.results = blocks * 2 * wide;
  o.work.products = o.work.results * static_cast<double>(depth);
  // The other kernel's data for a channel, 9 bytes with a scale of its own, does not count for this kernel.
  o.constants = static_cast<std::uint64_t>(static_cast<double>(c.groups * depth) * wide) + 4 * channels.records.size() -
                static_cast<std::uint64_t>(9 * c.out.channels);
  o.workspace = static_cast<std::uint64_t>(twin_workspace(c, false));
  o.reads = blocks * (static_cast<double>(depth) * wide +
                      static_cast<double>(4 * channels.records.size()) / static_cast<double>(c.groups));
  return o;
}

std::optional<KernelOption> block_option(const Convolution& c, const TargetSpec& target, const KernelOption& twins) {
  if (c.group_out() % 4 != 0 || waits_for_flash(target) == 0 || wants_loads_apart(target)) return std::nullopt;
  const auto pixels = static_cast<double>(c.out.height * c.out.width);
  KernelOption o = twins;
  o.kernel += kBlock;
  o.workspace = static_cast<std::uint64_t>(twin_workspace(c, true));
  // Once for a block instead of once for two pixels; a byte that is copied takes two thirds of a product.
  o.reads *= std::ceil(pixels / kBlockPixels) / std::ceil(pixels / 2);
  o.work.products += std::ceil(o.reads * 2 / 3);
  return o;
}

std::int64_t twin_workspace(const Convolution& c, bool blocks) {
  const bool staged = c.in.chan != 1 || c.group_in() % 4 != 0;
  return whole_words(c.depth(), 8) * ((blocks ? 4 + 2 * kBlockPixels : 4) + (staged ? 1 : 0));
}

}  // namespace byoc::c
