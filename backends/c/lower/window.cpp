#include "backends/c/lower/window.hpp"

#include <algorithm>

namespace byoc::c {

namespace {

std::optional<Image> image(const codegen::Value& value, bool channels_last) {
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

}  // namespace

std::optional<Image> read_image(const codegen::Node& node, const codegen::Value& value) {
  return image(value, node.text("data_layout", "NCHW") == "NHWC");
}

std::optional<Image> read_output_image(const codegen::Node& node, const codegen::Value& value) {
  return image(value, node.text("output_layout", node.text("data_layout", "NCHW")) == "NHWC");
}

std::optional<Window> read_window(const codegen::Node& node, const std::vector<std::int64_t>& kernel) {
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

}  // namespace byoc::c
