// The convolution that Conv and QLinearConv share: geometry and accumulation.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sdk/model/evaluate/operators/spatial.hpp"

namespace byoc::evaluate {

struct Convolution {
  Spatial in, out;
  std::array<WindowAxis, 3> axes;
  std::int64_t groups = 1;
  std::int64_t filter_channels = 1;  // input channels of a group
  std::size_t filter_out_axis = 0;
  // Elements between neighbours in the filter.
  std::int64_t filter_out_stride = 0;
  std::int64_t filter_in_stride = 0;
  std::array<std::int64_t, 3> filter_stride{0, 0, 0};

  // The output channel of a filter element.
  [[nodiscard]] std::int64_t channel_of(std::int64_t filter_index) const {
    return filter_index / filter_out_stride % out.channels;
  }
};

// Reads data_layout, filter_layout, group and the window; `x` and `w` are operand indexes. Errors for everything that
// does not fit together.
Result<Convolution> read_convolution(const Call& call, std::size_t x, std::size_t w);

// Sums of products for every output element, in the output's layout. Padding contributes nothing, so quantised inputs
// come with their zero point already subtracted.
template <class Sum, class T>
[[nodiscard]] std::vector<Sum> convolve(const Convolution& c, std::span<const T> x, std::span<const T> w) {
  const std::int64_t out_channels_per_group = c.out.channels / c.groups;
  std::vector<Sum> y(static_cast<std::size_t>(c.out.batch * c.out.batch_stride));
  std::vector<Sum> row(static_cast<std::size_t>(c.out.size[2]));
  const WindowAxis& across = c.axes[2];

  // Adds an input row, seen through tap k of a filter row, to `row`.
  auto add_tap = [&](std::int64_t x_base, std::int64_t w_base, std::int64_t k) {
    const Sum weight = static_cast<Sum>(w[static_cast<std::size_t>(w_base + k * c.filter_stride[2])]);
    // Output positions whose tap k is inside the image: 0 <= o * stride + shift < size.
    const std::int64_t shift = k * across.dilation - across.pad_begin;
    if (shift >= c.in.size[2]) return;
    const std::int64_t low = shift >= 0 ? 0 : (-shift + across.stride - 1) / across.stride;
    const std::int64_t high = std::min((c.in.size[2] - 1 - shift) / across.stride + 1, c.out.size[2]);
    const std::int64_t step = across.stride * c.in.stride[2];
    std::int64_t at = x_base + shift * c.in.stride[2] + low * step;
    for (std::int64_t o = low; o < high; ++o, at += step)
      row[static_cast<std::size_t>(o)] += weight * static_cast<Sum>(x[static_cast<std::size_t>(at)]);
  };
  auto compute_row = [&](std::int64_t n, std::int64_t channel, std::int64_t oz, std::int64_t oy) {
    std::fill(row.begin(), row.end(), Sum{0});
    const std::int64_t first_in = channel / out_channels_per_group * c.filter_channels;
    const Taps z = taps(c.axes[0], oz);
    const Taps v = taps(c.axes[1], oy);
    // Adds one tap: filter element (i, kz, ky, kx), seen from the whole row.
    auto add = [&](std::int64_t i, std::int64_t kz, std::int64_t ky, std::int64_t kx) {
      const std::int64_t iz = z.position(kz);
      const std::int64_t iy = v.position(ky);
      if (iz < 0 || iz >= c.in.size[0] || iy < 0 || iy >= c.in.size[1]) return;
      add_tap(
          n * c.in.batch_stride + (first_in + i) * c.in.channel_stride + iz * c.in.stride[0] + iy * c.in.stride[1],
          channel * c.filter_out_stride + i * c.filter_in_stride + kz * c.filter_stride[0] + ky * c.filter_stride[1],
          kx);
    };
    // In the order of the frameworks' plain kernels: channels last in TFLite's layout, first in ONNX's.
    const bool channels_first = c.in.layout == DataLayout::nchw;
    for (std::int64_t i = 0; i < (channels_first ? c.filter_channels : 1); ++i)
      for (std::int64_t kz = 0; kz < c.axes[0].kernel; ++kz)
        for (std::int64_t ky = 0; ky < c.axes[1].kernel; ++ky)
          for (std::int64_t kx = 0; kx < across.kernel; ++kx) {
            if (channels_first)
              add(i, kz, ky, kx);
            else
              for (std::int64_t j = 0; j < c.filter_channels; ++j) add(j, kz, ky, kx);
          }
  };
  for (std::int64_t n = 0; n < c.out.batch; ++n)
    for (std::int64_t channel = 0; channel < c.out.channels; ++channel)
      for (std::int64_t oz = 0; oz < c.out.size[0]; ++oz)
        for (std::int64_t oy = 0; oy < c.out.size[1]; ++oy) {
          compute_row(n, channel, oz, oy);
          const std::int64_t base =
              n * c.out.batch_stride + channel * c.out.channel_stride + oz * c.out.stride[0] + oy * c.out.stride[1];
          for (std::int64_t o = 0; o < c.out.size[2]; ++o)
            y[static_cast<std::size_t>(base + o * c.out.stride[2])] = row[static_cast<std::size_t>(o)];
        }
  return y;
}

// Calls f(element index in the output, output channel) for every output element.
template <class F>
void for_each_output(const Convolution& c, F&& f) {
  const std::int64_t count = c.out.batch * c.out.batch_stride;
  for (std::int64_t i = 0; i < count; ++i)
    f(static_cast<std::size_t>(i), static_cast<std::size_t>(i / c.out.channel_stride % c.out.channels));
}

// The filter's integers minus their zero point: one for each output channel, or one for all.
[[nodiscard]] std::vector<std::int32_t> centred_filter(const Convolution& c, const Tensor& filter,
                                                       std::span<const std::int64_t> zero_points);

}  // namespace byoc::evaluate
