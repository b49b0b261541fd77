// Conv on i8: the matrix kernels over patches, or the depthwise kernels over planes.
#include <algorithm>

#include "backends/c/lower/parameter_text.hpp"
#include "backends/c/lower/quantised.hpp"
#include "backends/c/lower/requantise.hpp"
#include "backends/c/lower/weight_packing.hpp"
#include "backends/c/lower/window.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

// Rows of a depthwise plane are cut into bands of about this many elements.
constexpr std::int64_t kBandElements = 1024;

// Where element (o, tap, i) of the filter is: i counts the input channels of one group.
struct FilterLayout {
  std::size_t out_axis = 0;
  std::int64_t out = 0, tap = 0, in = 0;

  static std::optional<FilterLayout> read(std::string_view name, const std::vector<std::int64_t>& dims) {
    if (dims.size() != 3 && dims.size() != 4) return std::nullopt;
    std::int64_t all = 1;
    for (const std::int64_t d : dims) all *= d;
    const std::int64_t inner = all / std::max<std::int64_t>(dims[0], 1);
    if (name == "OIHW") return FilterLayout{0, inner, 1, inner / std::max<std::int64_t>(dims[1], 1)};
    if (name == "OHWI") return FilterLayout{0, inner, dims.back(), 1};
    if (name == "IHWO" && dims[0] == 1) return FilterLayout{dims.size() - 1, 1, dims.back(), 0};
    return std::nullopt;
  }
};

struct Convolution {
  Image in, out;
  Window window;
  FilterLayout filter;
  std::int64_t groups = 1;
  Clamp clamp;

  [[nodiscard]] std::int64_t group_in() const { return in.channels / groups; }
  [[nodiscard]] std::int64_t group_out() const { return out.channels / groups; }
  [[nodiscard]] std::int64_t taps() const { return window.kernel_h * window.kernel_w; }
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

std::vector<std::int64_t> spatial_dims(const Node& node, const Value& w) {
  const std::vector<std::int64_t>& d = w.dims;
  if (d.size() < 3) return {};
  if (node.text("filter_layout", "OIHW") == "OIHW") return {d.begin() + 2, d.end()};
  return {d.begin() + 1, d.end() - 1};
}

std::optional<Convolution> read(const Region& region, const Node& node, Verdict& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& w = region.values[node.inputs[1]];
  const Value& y = region.values[node.outputs[0]];
  const auto in = read_image(node, x), out = read_image(node, y);
  const auto window = read_window(node, spatial_dims(node, w));
  const auto filter = FilterLayout::read(node.text("filter_layout", "OIHW"), w.dims);
  const auto clamp = activation_clamp(node.text("activation", "none"), affine(y));
  Convolution c;
  c.groups = node.integer("group", 1);
  if (!in || !out || !window || !filter) {
    why = refuse(Reason::unsupported_shape, "found input " + shape_text(x.dims) + " and filter " + shape_text(w.dims) +
                                                ", expected one or two spatial dims and strides, dilations and pads "
                                                "below 2^15");
    return std::nullopt;
  }
  if (!clamp) {
    why = refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
    return std::nullopt;
  }
  if (c.groups < 1 || in->channels % c.groups != 0 || out->channels % c.groups != 0) {
    why = refuse(Reason::unsupported_attribute, "found group " + std::to_string(c.groups) + " for " +
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
    why = refuse(Reason::unsupported_shape, "found filter " + shape_text(w.dims) + ", expected " +
                                                std::to_string(c.out.channels * c.depth()) + " elements");
    return std::nullopt;
  }
  return c;
}

// TFLite's convolutions ignore the zero points of weights; its converter always makes them 0.
Value effective_weights(const Region& region, const Node& node) {
  Value w = region.values[node.inputs[1]];
  if (region.requant == Requant::tflite) w.quantisation.zero_points.clear();
  return w;
}

// The filter as [output channel][tap][input channel of the group].
std::vector<std::int8_t> filter_rows(const Convolution& c, const Value& w) {
  const auto size = static_cast<std::int64_t>(w.data.size());
  const std::int64_t inner = c.filter.out_axis == 0 ? size / c.out.channels : 1;
  const std::vector<std::int8_t> from =
      weights_s8(w, [&](std::size_t i) { return static_cast<std::int64_t>(i) / inner % c.out.channels; });
  std::vector<std::int8_t> rows;
  rows.reserve(from.size());
  for (std::int64_t o = 0; o < c.out.channels; ++o)
    for (std::int64_t t = 0; t < c.taps(); ++t)
      for (std::int64_t i = 0; i < c.group_in(); ++i)
        rows.push_back(from[static_cast<std::size_t>(o * c.filter.out + t * c.filter.tap + i * c.filter.in)]);
  return rows;
}

std::vector<std::int64_t> row_sums(const std::vector<std::int8_t>& rows, std::int64_t channels) {
  const std::size_t depth = rows.size() / static_cast<std::size_t>(channels);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i / depth] += rows[i];
  return sums;
}

std::string parameters(const Convolution& c, std::string_view weights, const std::string& requant, std::int64_t in_zero,
                       ParameterText& p) {
  const Window& w = c.window;
  p.add("weights", weights)
      .add("requant", requant)
      .add("in_zero", in_zero)
      .add("batch, groups", std::to_string(c.in.batch) + ", " + std::to_string(c.groups));
  const auto image = [&](const Image& m, std::int64_t channels, const char* sizes, const char* strides) {
    p.add(sizes, std::to_string(m.height) + ", " + std::to_string(m.width) + ", " + std::to_string(channels));
    p.add(strides, std::to_string(m.batch_stride) + ", " + std::to_string(m.row) + ", " + std::to_string(m.col) + ", " +
                       std::to_string(m.chan));
  };
  const std::int64_t per_group = c.depthwise() ? 1 : c.groups;
  image(c.in, c.in.channels / per_group, "in_h, in_w, in_c", "in_batch, in_row, in_col, in_chan");
  image(c.out, c.out.channels / per_group, "out_h, out_w, out_c", "out_batch, out_row, out_col, out_chan");
  p.add("kernel", std::to_string(w.kernel_h) + ", " + std::to_string(w.kernel_w));
  p.add("stride", std::to_string(w.stride_h) + ", " + std::to_string(w.stride_w));
  p.add("dilation", std::to_string(w.dilation_h) + ", " + std::to_string(w.dilation_w));
  p.add("pad", std::to_string(w.pad_top) + ", " + std::to_string(w.pad_left));
  return p.nested();
}

}  // namespace

Verdict accepts_conv_quantised(const Region& region, const Node& node, const TargetSpec&) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (auto no = refuse_unless_s8(x, "input")) return *no;
  if (auto no = refuse_unless_s8(y, "output")) return *no;
  Verdict why;
  const auto c = read(region, node, why);
  if (!c) return why;
  const Value w = effective_weights(region, node);
  const Value* bias =
      node.inputs.size() > 2 && node.inputs[2] != codegen::kNoValue ? &region.values[node.inputs[2]] : nullptr;
  if (auto no = refuse_weights(w, c->filter.out_axis)) return *no;
  if (auto no = refuse_bias(bias, c->out.channels)) return *no;
  if (auto no = refuse_scales(region, x, w, y)) return *no;
  return claim();
}

namespace {

// What the step calls: a kernel with its parameters and workspace.
struct Call {
  std::string kernel, type, header, definition;
  std::uint64_t workspace = 0;
};

struct Constants {
  std::string stem, requant;
  std::vector<std::int8_t> rows;  // the filter as [output channel][tap][input channel of the group]
  std::int64_t in_zero = 0;
};

// The MVE kernel reaches 16 taps by 8-bit offsets, and eight pixels by 16-bit ones.
bool fits_mve(const Convolution& c, std::int64_t plane_w) {
  const Window& w = c.window;
  const std::int64_t reach = (w.kernel_h - 1) * w.dilation_h * plane_w + (w.kernel_w - 1) * w.dilation_w;
  return c.taps() <= 16 && reach <= 255 && 7 * c.in.col <= 65535;
}

Call lower_depthwise(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  const Window& w = c.window;
  const std::int64_t reach_w = (w.kernel_w - 1) * w.dilation_w + 1, reach_h = (w.kernel_h - 1) * w.dilation_h + 1;
  std::int64_t plane_w = (c.out.width - 1) * w.stride_w + reach_w;
  Path path = kernel_path(emitter.region, emitter.target);
  if (path == Path::mve && !fits_mve(c, plane_w)) path = emitter.target.has("dsp") ? Path::dsp : Path::portable;
  if (path == Path::dsp) plane_w = (plane_w + 2) / 2 * 2;  // pairs, and one element behind the last
  const std::int64_t elements = path == Path::mve ? kBandElements / 2 : kBandElements;
  const std::int64_t band = std::clamp<std::int64_t>((elements / plane_w - reach_h) / w.stride_h + 1, 1, c.out.height);
  const std::int64_t plane = ((band - 1) * w.stride_h + reach_h) * plane_w;
  Call call;
  call.kernel = emitter.kernel(requant_kernel(emitter.region, path_stem("depthwise_s8", path)));
  call.type = "byoc_depthwise_s8_t";
  call.header = "byoc_depthwise_s8.h";
  call.workspace = static_cast<std::uint64_t>(path == Path::mve   ? (plane + 3) / 4 * 4 + 4 * band * c.out.width
                                              : path == Path::dsp ? 2 * plane
                                                                  : plane);
  ParameterText conv, p;
  const std::string weights = emitter.constant<std::int8_t>(k.stem + "_weights", k.rows, true);
  p.add("conv", parameters(c, weights, k.requant, k.in_zero, conv)).add("plane_w", plane_w).add("band_rows", band);
  call.definition = p.definition(call.type, name);
  return call;
}

// Weights and workspace as the kernels' own comments give them.
Call lower_patches(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  const Path path = kernel_path(emitter.region, emitter.target);
  const std::int64_t depth = c.depth(), padded = (depth + 3) / 4 * 4;
  const WeightRows rows{k.rows, c.groups, c.group_out(), depth};
  Call call;
  call.kernel = emitter.kernel(requant_kernel(emitter.region, path_stem("conv_s8", path)));
  call.type = "byoc_conv_s8_t";
  call.header = "byoc_conv_s8.h";
  std::int64_t workspace = c.in_place() ? 0 : (path == Path::mve ? 4 : 2) * depth;
  std::vector<std::int8_t> packed;
  if (path == Path::dsp) {
    const bool staged = c.in.chan != 1 || c.group_in() % 4 != 0;
    workspace = padded * (4 * 2 + (staged ? 1 : 0));
    packed = pack_weights(rows, 1, 4);
  } else {
    packed = path == Path::mve ? k.rows : pack_weights(rows, 2, 1);
  }
  call.workspace = static_cast<std::uint64_t>(workspace);
  ParameterText p;
  parameters(c, emitter.constant<std::int8_t>(k.stem + "_weights", packed, true), k.requant, k.in_zero, p);
  call.definition = p.definition(call.type, name);
  return call;
}

}  // namespace

bool lower_conv_quantised(Emitter& emitter, const Node& node) {
  Verdict why;
  const auto c = read(emitter.region, node, why);
  if (!c) return emitter.error(node, why.text);
  const Value w = effective_weights(emitter.region, node);
  const Value& x = *emitter.input(node, 0);
  const Value& y = emitter.value(node.outputs[0]);
  codegen::Step step;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  step.symbol = emitter.host().claim("conv_" + std::to_string(step.nodes[0]));
  step.inputs = {{node.inputs[0]}};
  step.outputs = {{node.outputs[0]}};
  step.macs = c->macs();

  Constants k{"conv_" + std::to_string(step.nodes[0]), "", filter_rows(*c, w), affine(x).zero};
  k.requant =
      emit_requant(emitter, k.stem, x, w, emitter.input(node, 2), y, c->clamp, row_sums(k.rows, c->out.channels));
  const std::string name = step.symbol + "_params";
  const Call call = c->depthwise() ? lower_depthwise(emitter, *c, k, name) : lower_patches(emitter, *c, k, name);
  step.kernel = call.kernel;
  if (call.workspace) step.workspaces = {{call.workspace, 4, {}}};
  StepText text;
  text.includes = {call.header};
  text.prelude = call.definition;
  text.body = "  " + call.kernel + "(&" + name + ", in0, out0, " + (call.workspace ? "ws0" : "0") + ");\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
