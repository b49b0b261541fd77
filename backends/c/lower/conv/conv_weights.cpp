#include "backends/c/lower/conv/conv_weights.hpp"

#include "backends/c/lower/quantise/requantise.hpp"

namespace byoc::c {

std::vector<std::int8_t> filter_rows_of(const Convolution& c, const codegen::Value& weights) {
  const auto size = static_cast<std::int64_t>(weights.data.size());
  const std::int64_t inner = c.filter.out_axis == 0 ? size / c.out.channels : 1;
  const auto channel = [&](std::size_t i) { return static_cast<std::int64_t>(i) / inner % c.out.channels; };
  return filter_rows(c, weights_s8(weights, channel));
}

std::vector<std::int8_t> transposed_rows(const Convolution& c, const std::vector<std::int8_t>& rows) {
  const std::int64_t height = c.window.kernel_h, width = c.window.kernel_w;
  std::vector<std::int8_t> out;
  out.reserve(rows.size());
  for (std::int64_t o = 0; o < c.out.channels; ++o)
    for (std::int64_t x = 0; x < width; ++x)
      for (std::int64_t y = 0; y < height; ++y)
        out.push_back(rows[static_cast<std::size_t>((o * height + y) * width + x)]);
  return out;
}

std::vector<std::int8_t> by_tap(const std::vector<std::int8_t>& rows, std::int64_t taps) {
  std::vector<std::int8_t> out;
  out.reserve(rows.size());
  for (std::int64_t t = 0; t < taps; ++t)
    for (std::size_t i = static_cast<std::size_t>(t); i < rows.size(); i += static_cast<std::size_t>(taps))
      out.push_back(rows[i]);
  return out;
}

std::vector<std::int8_t> by_channels(const std::vector<std::int8_t>& rows, std::int64_t taps, std::size_t channels) {
  const auto count = static_cast<std::size_t>(taps);
  std::vector<std::int8_t> out;
  out.reserve(rows.size());
  for (std::size_t first = 0; first < rows.size(); first += channels * count)
    for (std::size_t t = 0; t < count; ++t)
      for (std::size_t i = 0; i < channels; ++i) {
        const std::size_t at = first + i * count + t;
        out.push_back(at < rows.size() ? rows[at] : std::int8_t{0});
      }
  return out;
}

}  // namespace byoc::c
