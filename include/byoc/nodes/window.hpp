// Images and windows of convolutions and pools in a plane, with strides, as kernels take them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::nodes {

// A tensor with channels and up to two spatial dims (height is 1 if there is one). Strides are in elements, between
// neighbours: images of the batch, rows, columns, channels.
struct Image {
  std::int64_t batch = 1, height = 1, width = 1, channels = 1;
  std::int64_t batch_stride = 0, row = 0, col = 0, chan = 0;
};

// Sizes, steps and paddings in pixels of the input.
struct Window {
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
};

// A tensor of three or four dims, row-major, as an image: [batch, channels, spatial], or [batch, spatial, channels].
// Null for another rank.
[[nodiscard]] inline std::optional<Image> image_of(const codegen::Value& value, bool channels_last) {
  const std::vector<std::int64_t>& d = value.dims;
  if (d.size() != 3 && d.size() != 4) return std::nullopt;
  Image m;
  m.batch = d[0];
  if (channels_last) {
    m.height = d.size() == 4 ? d[1] : 1;
    m.width = d[d.size() - 2];
    m.channels = d.back();
    m.chan = 1;
    m.col = m.channels;
    m.row = m.col * m.width;
  } else {
    m.channels = d[1];
    m.height = d.size() == 4 ? d[2] : 1;
    m.width = d.back();
    m.col = 1;
    m.row = m.width;
    m.chan = m.row * m.height;
  }
  m.batch_stride = m.channels * m.height * m.width;
  return m;
}

// Reads the operand `value` in the node's data_layout. Nullopt: not three or four dims.
[[nodiscard]] inline std::optional<Image> read_image(const codegen::Node& node, const codegen::Value& value) {
  return image_of(value, node.text("data_layout", "NCHW") == "NHWC");
}

// Reads a result, whose layout may be one of its own: the attribute output_layout, which a codegen may have given to
// its copy of the node.
[[nodiscard]] inline std::optional<Image> read_output_image(const codegen::Node& node, const codegen::Value& value) {
  return image_of(value, node.text("output_layout", node.text("data_layout", "NCHW")) == "NHWC");
}

// The node's strides, dilations and pads with the kernel of its spatial dims. Null: not one or two of them, or a
// number that does not fit 15 bits.
[[nodiscard]] inline std::optional<Window> read_window(const codegen::Node& node,
                                                       const std::vector<std::int64_t>& kernel) {
  const std::size_t n = kernel.size();
  if (n != 1 && n != 2) return std::nullopt;
  const auto strides = node.integers("strides", std::vector<std::int64_t>(n, 1));
  const auto dilations = node.integers("dilations", std::vector<std::int64_t>(n, 1));
  const auto pads = node.integers("pads", std::vector<std::int64_t>(2 * n, 0));
  if (strides.size() != n || dilations.size() != n || pads.size() != 2 * n) return std::nullopt;
  Window w;
  w.kernel_w = kernel[n - 1];
  w.stride_w = strides[n - 1];
  w.dilation_w = dilations[n - 1];
  w.pad_left = pads[n - 1];
  w.pad_right = pads[2 * n - 1];
  if (n == 2) {
    w.kernel_h = kernel[0];
    w.stride_h = strides[0];
    w.dilation_h = dilations[0];
    w.pad_top = pads[0];
    w.pad_bottom = pads[2];
  }
  const auto fits = [](std::int64_t low, std::initializer_list<std::int64_t> values) {
    return std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v >= low && v <= 32767; });
  };
  if (!fits(1, {w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w}) ||
      !fits(0, {w.pad_top, w.pad_left, w.pad_bottom, w.pad_right}))
    return std::nullopt;
  return w;
}

}  // namespace byoc::nodes
