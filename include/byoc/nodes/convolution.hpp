// Convolutions: their geometry in a plane with strides for kernels of integers, and in up to three spatial dims.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/activation.hpp"
#include "byoc/nodes/matmul.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/quantisation.hpp"
#include "byoc/nodes/quantised_layer.hpp"
#include "byoc/nodes/spatial.hpp"
#include "byoc/nodes/verdict.hpp"
#include "byoc/nodes/window.hpp"

namespace byoc::nodes {

// The offset of element (o, tap, i) of the filter, in elements: i counts the input channels of one group, taps go row
// by row.
struct FilterLayout {
  std::size_t out_axis = 0;  // the dim of output channels
  std::int64_t out = 0, tap = 0, in = 0;
};
// `name`: the attribute filter_layout ("OIHW", "OHWI", "IHWO" of depthwise filters) of a filter of 3 or 4 dims. Null: a
// name that is none, or dims that do not fit it.
[[nodiscard]] inline std::optional<FilterLayout> read_filter_layout(std::string_view name,
                                                                    const std::vector<std::int64_t>& dims) {
  if (dims.size() != 3 && dims.size() != 4) return std::nullopt;
  std::int64_t all = 1;
  for (const std::int64_t d : dims) all *= d;
  const std::int64_t inner = all / std::max<std::int64_t>(dims[0], 1);
  if (name == "OIHW") return FilterLayout{0, inner, 1, inner / std::max<std::int64_t>(dims[1], 1)};
  if (name == "OHWI") return FilterLayout{0, inner, dims.back(), 1};
  if (name == "IHWO" && dims[0] == 1) return FilterLayout{dims.size() - 1, 1, dims.back(), 0};
  return std::nullopt;
}

// A convolution in a plane: y[b, out, y, x] = sum over taps and input channels of the group. Groups are equal runs of
// channels, of input and output, in their order.
struct Convolution {
  Image in, out;
  Window window;
  FilterLayout filter;
  std::int64_t groups = 1;
  Clamp clamp;  // of the fused activation; all that the output can be where it is not quantised

  // Channels of one group.
  [[nodiscard]] std::int64_t group_in() const { return in.channels / groups; }
  [[nodiscard]] std::int64_t group_out() const { return out.channels / groups; }
  [[nodiscard]] std::int64_t taps() const { return window.kernel_h * window.kernel_w; }
  // Products in one sum.
  [[nodiscard]] std::int64_t depth() const { return taps() * group_in(); }
  [[nodiscard]] bool depthwise() const { return group_in() == 1 && groups > 1; }
  [[nodiscard]] std::uint64_t macs() const {
    return static_cast<std::uint64_t>(out.batch * out.height * out.width * out.channels * depth());
  }
  // A patch lies in the image as it is.
  [[nodiscard]] bool in_place() const {
    return taps() == 1 && in.chan == 1 && window.pad_top == 0 && window.pad_left == 0 &&
           (out.height - 1) * window.stride_h < in.height && (out.width - 1) * window.stride_w < in.width;
  }
};

// Rows as the pixels of a 1x1 convolution.
[[nodiscard]] inline Convolution as_convolution(const RowsByMatrix& d, const Clamp& clamp) {
  Convolution c;
  c.in = {1, 1, d.rows, d.depth, d.rows * d.depth, d.rows * d.depth, d.depth, 1};
  c.out = {1, 1, d.rows, d.units, d.rows * d.units, d.rows * d.units, d.units, 1};
  c.filter = d.unit_axis == 0 ? FilterLayout{0, d.depth, 0, 1} : FilterLayout{1, 1, 0, d.units};
  c.clamp = clamp;
  return c;
}

namespace detail {

// The filter's dims that are the window's.
inline std::vector<std::int64_t> filter_window(const codegen::Node& node, const codegen::Value& w) {
  const std::vector<std::int64_t>& d = w.dims;
  if (d.size() < 3) return {};
  if (node.text("filter_layout", "OIHW") == "OIHW") return {d.begin() + 2, d.end()};
  return {d.begin() + 1, d.end() - 1};
}

}  // namespace detail

// The attributes of Conv on an input `x`, a filter `w` and a result `y`, which may be quantised otherwise than the
// node's own. Null, with the reason in `why`: more than two spatial dims, numbers of 15 bits or more, groups that do
// not divide the channels, an unknown activation, a filter of another size.
[[nodiscard]] inline std::optional<Convolution> read_convolution(const codegen::Region& region,
                                                                 const codegen::Node& node, const codegen::Value& x,
                                                                 const codegen::Value& w, const codegen::Value& y,
                                                                 codegen::Verdict& why) {
  const auto in = read_image(node, x), out = read_output_image(node, y);
  const auto window = read_window(node, detail::filter_window(node, w));
  const auto filter = read_filter_layout(node.text("filter_layout", "OIHW"), w.dims);
  const auto clamp = y.quantised() ? activation_clamp(region, node, y) : std::optional(range_of(y));
  Convolution c;
  c.groups = node.integer("group", 1);
  if (!in || !out || !window || !filter) {
    why = refuse(codegen::Reason::unsupported_shape,
                 "found input " + shape_text(x.dims) + " and filter " + shape_text(w.dims) +
                     ", expected one or two spatial dims and strides, dilations and pads "
                     "below 2^15");
    return std::nullopt;
  }
  if (!clamp) {
    why = refuse(codegen::Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
    return std::nullopt;
  }
  if (c.groups < 1 || in->channels % c.groups != 0 || out->channels % c.groups != 0) {
    why = refuse(codegen::Reason::unsupported_attribute, "found group " + std::to_string(c.groups) + " for " +
                                                             std::to_string(in->channels) + " and " +
                                                             std::to_string(out->channels) + " channels");
    return std::nullopt;
  }
  c.in = *in;
  c.out = *out;
  c.window = *window;
  c.filter = *filter;
  c.clamp = *clamp;
  if (w.elements() != c.out.channels * c.depth()) {
    why = refuse(codegen::Reason::unsupported_shape, "found filter " + shape_text(w.dims) + ", expected " +
                                                         std::to_string(c.out.channels * c.depth()) + " elements");
    return std::nullopt;
  }
  return c;
}

// The filter's elements as [output channel][tap][input channel of the group].
[[nodiscard]] inline std::vector<std::int8_t> filter_rows(const Convolution& c,
                                                          const std::vector<std::int8_t>& elements) {
  std::vector<std::int8_t> rows;
  rows.reserve(elements.size());
  for (std::int64_t o = 0; o < c.out.channels; ++o)
    for (std::int64_t t = 0; t < c.taps(); ++t)
      for (std::int64_t i = 0; i < c.group_in(); ++i)
        rows.push_back(elements[static_cast<std::size_t>(o * c.filter.out + t * c.filter.tap + i * c.filter.in)]);
  return rows;
}

// The geometry of a convolution in one to three spatial dims; steps in elements of the filter, rows of taps dense.
struct SpatialConvolution {
  Spatial spatial;
  std::int64_t groups = 1;
  std::int64_t w_out = 0, w_in = 0;  // steps between elements of the filter
  Dims3 w_step{};

  [[nodiscard]] std::int64_t group_in() const { return spatial.in_channels / groups; }
  [[nodiscard]] std::int64_t group_out() const { return spatial.out_channels / groups; }
  [[nodiscard]] std::uint64_t macs() const {
    return static_cast<std::uint64_t>(spatial.batch * spatial.out_channels * spatial.out_size() * group_in() *
                                      spatial.kernel_size());
  }
  // For a transposed convolution: every input contributes to that many outputs.
  [[nodiscard]] std::uint64_t transposed_macs() const {
    return static_cast<std::uint64_t>(spatial.batch * spatial.in_channels * spatial.in_size() * group_out() *
                                      spatial.kernel_size());
  }
};

// Reads the attributes of a node whose filter is input `w`. Null, with the reason in `why`: open channels, groups that
// do not divide them, a filter of another size or an unknown layout, and what read_spatial does not take.
[[nodiscard]] inline std::optional<SpatialConvolution> read_spatial_convolution(const codegen::Region& region,
                                                                                const codegen::Node& node,
                                                                                std::size_t w, std::string& why) {
  const std::optional<Spatial> spatial = read_spatial(region, node, false, why);
  if (!spatial) return std::nullopt;
  SpatialConvolution c{.spatial = *spatial, .groups = node.integer("group", 1)};
  const Spatial& s = c.spatial;
  if (s.in_channels < 0 || s.out_channels < 0) {
    why = "found channels that only a run knows the number of";
    return std::nullopt;
  }
  if (c.groups < 1 || s.in_channels % c.groups != 0 || s.out_channels % c.groups != 0) {
    why = "found group " + std::to_string(c.groups) + " for " + std::to_string(s.in_channels) + " input and " +
          std::to_string(s.out_channels) + " output channels, expected a divisor of both";
    return std::nullopt;
  }
  const std::int64_t taps = s.kernel_size();
  if (region.values[node.inputs[w]].elements() != s.out_channels * c.group_in() * taps) {
    why = "found weights " + shape_text(region.values[node.inputs[w]]) + ", expected " +
          std::to_string(s.out_channels * c.group_in() * taps) + " elements";
    return std::nullopt;
  }
  const std::string layout = node.text("filter_layout", "OIHW");
  std::int64_t tap = 1;
  if (layout == "OIHW") {
    c.w_out = c.group_in() * taps;
    c.w_in = taps;
  } else if (layout == "OHWI") {
    c.w_out = taps * c.group_in();
    c.w_in = 1;
    tap = c.group_in();
  } else if (layout == "IHWO") {
    c.w_out = 1;
    c.w_in = taps * s.out_channels;
    tap = s.out_channels;
  } else {
    why = "found filter_layout " + layout + ", expected OIHW, OHWI or IHWO";
    return std::nullopt;
  }
  c.w_step = {tap * s.kernel[2] * s.kernel[1], tap * s.kernel[2], tap};
  return c;
}

// Reads a ConvTranspose, whose filter is input 1: element (output channel of its group, tap, input channel of all).
[[nodiscard]] inline std::optional<SpatialConvolution> read_transposed_convolution(const codegen::Region& region,
                                                                                   const codegen::Node& node,
                                                                                   std::string& why) {
  const codegen::Value& w = region.values[node.inputs[1]];
  const std::string layout = node.text("filter_layout", "IOHW");
  if (layout != "IOHW" && layout != "OHWI") {
    why = "found filter_layout " + layout + ", expected IOHW or OHWI";
    return std::nullopt;
  }
  const std::optional<Spatial> spatial = read_spatial(region, node, false, why);
  if (!spatial) return std::nullopt;
  SpatialConvolution c{.spatial = *spatial, .groups = node.integer("group", 1)};
  const std::int64_t taps = c.spatial.kernel_size();
  if (c.groups < 1 || c.spatial.in_channels % c.groups != 0 || c.spatial.out_channels % c.groups != 0 ||
      w.elements() != c.spatial.in_channels * c.group_out() * taps) {
    why = "found weights " + shape_text(w) + " and group " + std::to_string(c.groups) + ", which do not fit";
    return std::nullopt;
  }
  const bool out_first = layout == "OHWI";
  const std::int64_t tap = out_first ? c.spatial.in_channels : 1;
  c.w_in = out_first ? 1 : c.group_out() * taps;
  c.w_out = out_first ? taps * c.spatial.in_channels : taps;
  c.w_step = {tap * c.spatial.kernel[2] * c.spatial.kernel[1], tap * c.spatial.kernel[2], tap};
  return c;
}

// Steps between the elements of a tensor in the node's layout: batch, channel, depth, height, width.
struct SpatialSteps {
  std::int64_t batch = 0, channel = 0;
  Dims3 step{};
};
[[nodiscard]] inline SpatialSteps spatial_steps(bool channels_last, std::int64_t channels, const Dims3& size) {
  SpatialSteps s;
  s.step[2] = channels_last ? channels : 1;
  s.step[1] = s.step[2] * size[2];
  s.step[0] = s.step[1] * size[1];
  s.channel = channels_last ? 1 : size[0] * size[1] * size[2];
  s.batch = channels * size[0] * size[1] * size[2];
  return s;
}

}  // namespace byoc::nodes
