// The geometry of a sliding kernel, for convolutions and pools, always as depth, height, width.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/window.hpp"

namespace byoc::nodes {

using Dims3 = std::array<std::int64_t, 3>;

// Sizes, steps and paddings in elements of the spatial dims. Missing leading dims have length 1, step 1 and no padding.
struct Spatial {
  bool channels_last = false;
  std::int64_t batch = 1;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::size_t rank = 0;  // spatial dims that the node has
  Dims3 in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0}, pad_end{0, 0, 0};

  [[nodiscard]] std::int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
  [[nodiscard]] std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
  [[nodiscard]] std::int64_t out_size() const { return out[0] * out[1] * out[2]; }
};

// The geometry without a depth, for tensors that have none.
struct Plane {
  Image in, out;
  Window window;
};

namespace detail {

// An integer-list attribute of `count` elements, each at least `least`; absent: all `otherwise`.
inline bool read_list(const codegen::Node& node, std::string_view key, std::size_t count, std::int64_t otherwise,
                      std::int64_t least, std::vector<std::int64_t>& out, std::string& why) {
  out = node.integers(key, std::vector<std::int64_t>(count, otherwise));
  if (out.size() != count) {
    why = "attribute " + std::string(key) + " has " + std::to_string(out.size()) + " elements, expected " +
          std::to_string(count);
    return false;
  }
  for (std::int64_t v : out) {
    if (v < least || v > std::numeric_limits<std::int32_t>::max()) {
      why = "attribute " + std::string(key) + " holds " + std::to_string(v) + ", expected at least " +
            std::to_string(least);
      return false;
    }
  }
  return true;
}

inline Image image_of(const Spatial& s, const Dims3& size, std::int64_t channels) {
  Image m{s.batch, size[1], size[2], channels};
  m.chan = s.channels_last ? 1 : size[1] * size[2];
  m.col = s.channels_last ? channels : 1;
  m.row = m.col * size[2];
  m.batch_stride = channels * size[1] * size[2];
  return m;
}

}  // namespace detail

// Null: the tensors or the window have a depth.
[[nodiscard]] inline std::optional<Plane> without_depth(const Spatial& s) {
  if (s.in[0] != 1 || s.out[0] != 1 || s.kernel[0] != 1 || s.pad[0] != 0) return std::nullopt;
  Plane p{detail::image_of(s, s.in, s.in_channels), detail::image_of(s, s.out, s.out_channels), {}};
  Window& w = p.window;
  w.kernel_h = s.kernel[1], w.kernel_w = s.kernel[2];
  w.stride_h = s.stride[1], w.stride_w = s.stride[2];
  w.dilation_h = s.dilation[1], w.dilation_w = s.dilation[2];
  w.pad_top = s.pad[1], w.pad_left = s.pad[2];
  w.pad_bottom = s.pad_end[1], w.pad_right = s.pad_end[2];
  return p;
}

// Reads the geometry from the node's attributes and the types of its first input and output. `global`: the kernel is
// the whole input. On failure `why` says what was found and what was expected.
[[nodiscard]] inline std::optional<Spatial> read_spatial(const codegen::Region& region, const codegen::Node& node,
                                                         bool global, std::string& why) {
  const codegen::Value& x = region.values[node.inputs[0]];
  const codegen::Value& y = region.values[node.outputs[0]];
  if (global ? x.dims.size() < 2 : x.dims.size() < 3 || x.dims.size() > 5 || y.dims.size() != x.dims.size()) {
    why = "found an input of rank " + std::to_string(x.dims.size()) + ", expected 3 to 5 (1 to 3 spatial dims)";
    return std::nullopt;
  }
  const std::string layout = node.text("data_layout", "NCHW");
  if (layout != "NCHW" && layout != "NHWC") {
    why = "found data_layout " + layout + ", expected NCHW or NHWC";
    return std::nullopt;
  }
  if (const std::string pad = node.text("auto_pad", "NOTSET"); pad != "NOTSET") {
    why = "found auto_pad " + pad + ", expected explicit pads";
    return std::nullopt;
  }

  Spatial s;
  s.channels_last = layout == "NHWC";
  s.rank = x.dims.size() - 2;
  s.batch = x.dims[0];
  s.in_channels = s.channels_last ? x.dims.back() : x.dims[1];
  s.out_channels = s.channels_last ? y.dims.back() : y.dims[1];
  const std::size_t first = s.channels_last ? 1 : 2;
  if (global) {
    // One window over all spatial dims, for any number of them.
    for (std::size_t i = 0; i < s.rank; ++i) s.in[2] *= x.dims[first + i];
    s.kernel = s.in;
    return s;
  }
  const std::size_t lead = 3 - s.rank;
  for (std::size_t i = 0; i < s.rank; ++i) {
    s.in[lead + i] = x.dims[first + i];
    s.out[lead + i] = y.dims[first + i];
  }
  std::vector<std::int64_t> kernel, strides, dilations, pads;
  if (!node.find<std::vector<std::int64_t>>("kernel_shape")) {
    why = "attribute kernel_shape is missing";
    return std::nullopt;
  }
  if (!detail::read_list(node, "kernel_shape", s.rank, 1, 1, kernel, why) ||
      !detail::read_list(node, "strides", s.rank, 1, 1, strides, why) ||
      !detail::read_list(node, "dilations", s.rank, 1, 1, dilations, why) ||
      !detail::read_list(node, "pads", 2 * s.rank, 0, 0, pads, why))
    return std::nullopt;
  for (std::size_t i = 0; i < s.rank; ++i) {
    s.kernel[lead + i] = kernel[i];
    s.stride[lead + i] = strides[i];
    s.dilation[lead + i] = dilations[i];
    s.pad[lead + i] = pads[i];
    s.pad_end[lead + i] = pads[s.rank + i];
  }
  return s;
}

}  // namespace byoc::nodes
