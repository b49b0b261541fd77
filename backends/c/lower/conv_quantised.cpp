// Convolutions on i8: the matrix kernels over patches, or the depthwise kernels over planes.
#include "backends/c/lower/conv_quantised.hpp"

#include <algorithm>

#include "backends/c/lower/dense_quantised.hpp"
#include "backends/c/lower/in_place.hpp"
#include "backends/c/lower/quantised.hpp"
#include "backends/c/lower/weight_packing.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

// Rows of a depthwise plane are cut into bands of about this many elements; shorter ones copy rows more often.
constexpr std::int64_t kBandElements = 1024, kShortBandElements = 128;

std::vector<std::int64_t> spatial_dims(const Node& node, const Value& w) {
  const std::vector<std::int64_t>& d = w.dims;
  if (d.size() < 3) return {};
  if (node.text("filter_layout", "OIHW") == "OIHW") return {d.begin() + 2, d.end()};
  return {d.begin() + 1, d.end() - 1};
}

std::optional<Convolution> read(const Node& node, const QuantisedLayer& layer, Verdict& why) {
  const Value &x = layer.in, &w = layer.weights, &y = layer.out;
  const auto in = read_image(node, x), out = read_image(node, y);
  const auto window = read_window(node, spatial_dims(node, w));
  const auto filter = read_filter_layout(node.text("filter_layout", "OIHW"), w.dims);
  const auto clamp = activation_clamp(node.text("activation", "none"), y);
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
QuantisedLayer conv_layer(const Region& region, const Node& node) {
  QuantisedLayer layer = lifted_layer(region, node);
  if (region.requant == Requant::tflite) layer.weights.quantisation.zero_points.clear();
  return layer;
}

std::vector<std::int64_t> row_sums(const std::vector<std::int8_t>& rows, std::int64_t channels) {
  const std::size_t depth = rows.size() / static_cast<std::size_t>(channels);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i / depth] += rows[i];
  return sums;
}

}  // namespace

std::optional<FilterLayout> read_filter_layout(std::string_view name, const std::vector<std::int64_t>& dims) {
  if (dims.size() != 3 && dims.size() != 4) return std::nullopt;
  std::int64_t all = 1;
  for (const std::int64_t d : dims) all *= d;
  const std::int64_t inner = all / std::max<std::int64_t>(dims[0], 1);
  if (name == "OIHW") return FilterLayout{0, inner, 1, inner / std::max<std::int64_t>(dims[1], 1)};
  if (name == "OHWI") return FilterLayout{0, inner, dims.back(), 1};
  if (name == "IHWO" && dims[0] == 1) return FilterLayout{dims.size() - 1, 1, dims.back(), 0};
  return std::nullopt;
}

std::vector<std::int8_t> filter_rows(const Convolution& c, const std::vector<std::int8_t>& elements) {
  std::vector<std::int8_t> rows;
  rows.reserve(elements.size());
  for (std::int64_t o = 0; o < c.out.channels; ++o)
    for (std::int64_t t = 0; t < c.taps(); ++t)
      for (std::int64_t i = 0; i < c.group_in(); ++i)
        rows.push_back(elements[static_cast<std::size_t>(o * c.filter.out + t * c.filter.tap + i * c.filter.in)]);
  return rows;
}

std::string conv_parameters(const Convolution& c, std::string_view weights, const std::string& requant,
                            std::int64_t in_zero, bool per_group, ParameterText& p) {
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
  const std::int64_t parts = per_group ? c.groups : 1;
  image(c.in, c.in.channels / parts, "in_h, in_w, in_c", "in_batch, in_row, in_col, in_chan");
  image(c.out, c.out.channels / parts, "out_h, out_w, out_c", "out_batch, out_row, out_col, out_chan");
  p.add("kernel", std::to_string(w.kernel_h) + ", " + std::to_string(w.kernel_w));
  p.add("stride", std::to_string(w.stride_h) + ", " + std::to_string(w.stride_w));
  p.add("dilation", std::to_string(w.dilation_h) + ", " + std::to_string(w.dilation_w));
  p.add("pad", std::to_string(w.pad_top) + ", " + std::to_string(w.pad_left));
  return p.nested();
}

Verdict accepts_conv_layer(const Region& region, const Node& node, const QuantisedLayer& layer) {
  if (auto no = refuse_activation(region, layer.out, "output")) return *no;
  Verdict why;
  const auto c = read(node, layer, why);
  if (!c) return why;
  if (auto no = refuse_layer(region, layer, c->filter.out_axis, c->out.channels)) return *no;
  return claim();
}

Verdict accepts_conv_quantised(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_conv_layer(region, node, conv_layer(region, node));
}

namespace {

// What the step calls: a kernel with its parameters and workspace.
struct Call {
  std::string kernel, type, header, definition;
  std::uint64_t workspace = 0;
  std::optional<std::uint64_t> lead = {};  // of the output before the input, if it may lie over it
};

struct Constants {
  std::string stem, requant;
  bool last_use = false;          // of the input: it pays to write over it
  std::vector<std::int8_t> rows;  // the filter as [output channel][tap][input channel of the group]
  std::int64_t in_zero = 0;
  Scaling scaling = Scaling::tflite;
};

// The MVE kernel reaches 16 taps by 8-bit offsets, and eight pixels by 16-bit ones.
bool fits_mve(const Convolution& c, std::int64_t plane_w) {
  const Window& w = c.window;
  const std::int64_t reach = (w.kernel_h - 1) * w.dilation_h * plane_w + (w.kernel_w - 1) * w.dilation_w;
  return c.taps() <= 16 && reach <= 255 && 7 * c.in.col <= 65535;
}

// Rows and columns exchanged: the kernels walk the image by strides and do not care.
Convolution transposed(Convolution c) {
  for (Image* m : {&c.in, &c.out}) {
    std::swap(m->height, m->width);
    std::swap(m->row, m->col);
  }
  Window& w = c.window;
  std::swap(w.kernel_h, w.kernel_w);
  std::swap(w.stride_h, w.stride_w);
  std::swap(w.dilation_h, w.dilation_w);
  std::swap(w.pad_top, w.pad_left);
  return c;
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

std::int64_t depthwise_plane_width(const Convolution& c) {
  const Window& w = c.window;
  return (c.out.width - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1;
}

// Kernels take results of a row in twos; beginning a row costs about as much as four results.
bool better_transposed(const Convolution& c, Path path) {
  const auto cost = [](std::int64_t rows, std::int64_t width) { return rows * ((width + 1) / 2 * 2 + 4); };
  const Convolution t = transposed(c);
  if (path == Path::mve && !fits_mve(t, depthwise_plane_width(t))) return false;
  return cost(t.out.height, t.out.width) < cost(c.out.height, c.out.width);
}

Call lower_depthwise(Emitter& emitter, const Convolution& image, const Constants& k, const std::string& name) {
  Path path = kernel_path(k.scaling, emitter.target);
  const bool turn = better_transposed(image, path);
  const Convolution c = turn ? transposed(image) : image;
  const Window& w = c.window;
  const std::int64_t reach_h = (w.kernel_h - 1) * w.dilation_h + 1;
  std::int64_t plane_w = depthwise_plane_width(c);
  if (path == Path::mve && !fits_mve(c, plane_w)) path = emitter.target.has("dsp") ? Path::dsp : Path::portable;
  if (path == Path::dsp) plane_w = (plane_w + 2) / 2 * 2;  // pairs, and one element behind the last
  const std::int64_t most = emitter.attempt == 0 ? kBandElements : kShortBandElements;
  const std::int64_t elements = path == Path::mve ? most / 2 : most;
  // Blocks of results are computed whole, from elements that may lie behind the plane.
  const auto plane_of = [&](std::int64_t band) { return ((band - 1) * w.stride_h + reach_h) * plane_w; };
  const auto bytes_of = [&](std::int64_t band) {
    const std::int64_t plane = plane_of(band);
    const std::int64_t sums = std::max(4 * band * c.out.width, w.stride_h * plane_w + 3 * w.stride_w);
    return path == Path::mve ? (plane + 3) / 4 * 4 + sums : path == Path::dsp ? 2 * plane : plane;
  };
  std::int64_t band = std::clamp<std::int64_t>((elements / plane_w - reach_h) / w.stride_h + 1, 1, c.out.height);
  // Where the output overwrites its input, a plane that is the whole image needs no lead; else each band of a channel
  // is copied before its results are written.
  const bool at_input = channels_in_place(image.in, image.out);
  auto lead = channel_lead(c.in, c.out, w, 1, 1);
  const std::int64_t results = image.out.batch * image.out.batch_stride;
  const std::int64_t more = bytes_of(c.out.height) - bytes_of(band);
  if (at_input && k.last_use && more < (lead ? static_cast<std::int64_t>(*lead) : results)) band = c.out.height;
  if (at_input && band == c.out.height) lead = 0;
  Call call;
  call.kernel = emitter.kernel(requant_kernel(k.scaling, path_stem("depthwise_s8", path)));
  call.type = "byoc_depthwise_s8_t";
  call.header = "byoc_depthwise_s8.h";
  call.workspace = static_cast<std::uint64_t>(bytes_of(band));
  call.lead = lead;
  ParameterText conv, p;
  const std::string weights =
      emitter.constant<std::int8_t>(k.stem + "_weights", turn ? transposed_rows(image, k.rows) : k.rows, true);
  p.add("conv", conv_parameters(c, weights, k.requant, k.in_zero, false, conv))
      .add("plane_w", plane_w)
      .add("band_rows", band);
  call.definition = p.definition(call.type, name);
  return call;
}

// All patches are in the image as they are, one behind the other.
bool pixels_in_line(const Convolution& c) {
  const Window& w = c.window;
  return c.in_place() && w.stride_h == 1 && w.stride_w == 1 && c.in.col == c.group_in() && c.out.width == c.in.width &&
         c.in.row == c.in.width * c.in.col;
}

// [tap][channel] of [channel][tap].
std::vector<std::int8_t> by_tap(const std::vector<std::int8_t>& rows, std::int64_t taps) {
  std::vector<std::int8_t> out;
  out.reserve(rows.size());
  for (std::int64_t t = 0; t < taps; ++t)
    for (std::size_t i = static_cast<std::size_t>(t); i < rows.size(); i += static_cast<std::size_t>(taps))
      out.push_back(rows[i]);
  return out;
}

// Weights and workspace as the kernel's own comment gives them.
Call lower_small(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  const bool dsp = kernel_path(k.scaling, emitter.target) == Path::dsp;
  Call call;
  call.kernel = emitter.kernel(requant_kernel(k.scaling, "conv_s8_small"));
  call.type = "byoc_conv_s8_t";
  call.header = "byoc_conv_s8.h";
  const std::int64_t depth = c.depth(), padded = (depth + 3) / 4 * 4;
  const WeightRows rows{k.rows, c.groups, c.group_out(), depth};
  const bool by_pixels = c.depthwise() && c.group_out() == 1;
  // Several groups are computed one after the other from the same pixels, but for this form.
  if (c.groups == 1 || by_pixels) call.lead = window_lead(c.in, c.out, c.window, Reads::before_writing, 1);
  std::vector<std::int8_t> packed;
  if (by_pixels) {
    packed = by_tap(k.rows, depth);
    call.workspace = static_cast<std::uint64_t>(4 * c.out.channels);
  } else {
    packed = dsp ? pack_fours(rows) : k.rows;
    call.workspace = static_cast<std::uint64_t>(dsp ? 4 * padded * 2 : 2 * depth);
  }
  ParameterText p;
  conv_parameters(c, emitter.constant<std::int8_t>(k.stem + "_weights", packed, true), k.requant, k.in_zero, true, p);
  call.definition = p.definition(call.type, name);
  return call;
}

// Weights and workspace as the kernels' own comments give them.
Call lower_patches(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  Path path = kernel_path(k.scaling, emitter.target);
  // The MVE kernel stores by 16-bit offsets.
  if (path == Path::mve && std::max(7 * c.out.col, 3 * c.out.col + c.out.chan) > 65535)
    path = emitter.target.has("dsp") ? Path::dsp : Path::portable;
  const std::int64_t depth = c.depth(), padded = (depth + 3) / 4 * 4;
  const WeightRows rows{k.rows, c.groups, c.group_out(), depth};
  // Twice the flash for a sixth fewer instructions.
  const bool wide = path == Path::dsp && emitter.objective == Objective::speed;
  Kernel kernel = requant_kernel(k.scaling, path_stem("conv_s8", path));
  if (wide) {
    kernel.symbol += "_w16";
    kernel.defines["BYOC_WEIGHTS_S16"] = "1";
  }
  Call call;
  call.kernel = emitter.kernel(kernel);
  call.type = "byoc_conv_s8_t";
  call.header = "byoc_conv_s8.h";
  const bool small = depth <= 64 && c.out.height * c.out.width >= 8;  // of the MVE kernel
  bool direct = path == Path::mve        ? small && pixels_in_line(c) && depth % 16 == 0
                : path == Path::portable ? c.in_place()
                                         : false;
  // Several groups are computed one after the other from the same pixels.
  if (c.groups == 1) call.lead = window_lead(c.in, c.out, c.window, Reads::before_writing, 1);
  // Patches that are read where they lie must be copied before they are written over, which costs a little time.
  const bool may_copy = k.last_use && (emitter.objective != Objective::speed || emitter.attempt > 0);
  if (direct && !may_copy) call.lead.reset();
  if (call.lead) direct = false;
  std::int64_t workspace = direct ? 0 : 2 * depth;
  std::vector<std::int8_t> packed;
  if (path == Path::mve) {
    const std::int64_t vectors = (depth + 15) / 16 * 16;
    const bool staged = c.in.chan != 1 || c.group_in() % 16 != 0;
    workspace = !small ? vectors * (staged ? 5 : 4) + (c.group_out() + 1) / 2 * 32 : direct ? 0 : 32 * vectors;
    packed = small ? k.rows : pack_weights(rows, 2, 16);
    if (small) packed.resize(packed.size() + static_cast<std::size_t>(vectors - depth));
  } else if (path == Path::dsp) {
    const bool staged = c.in.chan != 1 || c.group_in() % 4 != 0;
    workspace = padded * (4 * 2 + (staged ? 1 : 0));
    packed = pack_weights(rows, 1, 4);
  } else {
    packed = k.rows;
  }
  call.workspace = static_cast<std::uint64_t>(workspace);
  const std::string stem = k.stem + "_weights";
  const std::string weights =
      wide ? "(const int8_t*)" + emitter.constant<std::int16_t>(stem, widen_weights(packed), true)
           : emitter.constant<std::int8_t>(stem, packed, true);
  ParameterText p;
  conv_parameters(c, weights, k.requant, k.in_zero, true, p);
  call.definition = p.definition(call.type, name);
  return call;
}

// The step of a layer with i8 operands, whose filter is `rows`.
bool lower_filter(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c,
                  const std::vector<std::int8_t>& rows, const std::string& stem,
                  Call lower(Emitter&, const Convolution&, const Constants&, const std::string&)) {
  codegen::Step step;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  step.symbol = emitter.host().claim(stem);
  step.inputs = {{layer.input}};
  step.outputs = {{layer.output}};
  step.macs = c.macs();
  Constants k{stem, "", is_last_use(emitter, layer.input), rows, affine(layer.in).zero, layer.scaling};
  k.requant = emit_requant(emitter, k.scaling, stem, layer.in, layer.weights, layer.bias, layer.out, c.clamp,
                           row_sums(rows, c.out.channels));
  const std::string name = step.symbol + "_params";
  const Call call = lower(emitter, c, k, name);
  step.kernel = call.kernel;
  if (call.workspace) step.workspaces = {{call.workspace, 4, {}}};
  if (call.lead) step.overlays = {{0, 0, *call.lead}};
  StepText text;
  text.includes = {call.header};
  text.prelude = call.definition;
  text.body = "  " + call.kernel + "(&" + name + ", in0, out0, " + (call.workspace ? "ws0" : "0") + ");\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace

bool lower_conv_layer(Emitter& emitter, const Node& node, const QuantisedLayer& layer) {
  Verdict why;
  const auto c = read(node, layer, why);
  if (!c) return emitter.error(node, why.text);
  const auto id = static_cast<codegen::NodeId>(&node - emitter.region.nodes.data());
  const std::string stem = "conv_" + std::to_string(id);
  const bool packed = layer.unpacked && emitter.objective == Objective::size;
  if (packed || !is_s8_layer(layer, c->filter.out_axis)) return lower_general_conv(emitter, node, layer, *c, stem);
  // One pixel to one pixel is a product of rows with a matrix, whose kernel takes several channels at a time.
  const bool one_pixel = c->in.height * c->in.width == 1 && c->out.height * c->out.width == 1 && c->taps() == 1;
  const bool padded = c->window.pad_top != 0 || c->window.pad_left != 0;
  if (one_pixel && !padded && c->groups == 1 && c->filter.out_axis == 0)
    return lower_dense_quantised(emitter, node, layer, {c->in.batch, c->depth(), c->out.channels, 0});
  const auto size = static_cast<std::int64_t>(layer.weights.data.size());
  const std::int64_t inner = c->filter.out_axis == 0 ? size / c->out.channels : 1;
  const auto channel = [&](std::size_t i) { return static_cast<std::int64_t>(i) / inner % c->out.channels; };
  const std::vector<std::int8_t> rows = filter_rows(*c, weights_s8(layer.weights, channel));
  if (prefers_small_conv(emitter, layer.scaling)) return lower_small_conv(emitter, node, layer, *c, rows, stem);
  return lower_filter(emitter, node, layer, *c, rows, stem, c->depthwise() ? lower_depthwise : lower_patches);
}

bool prefers_small_conv(const Emitter& emitter, Scaling scaling) {
  return emitter.objective == Objective::size && kernel_path(scaling, emitter.target) != Path::mve;
}

bool lower_small_conv(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c,
                      const std::vector<std::int8_t>& rows, const std::string& stem) {
  return lower_filter(emitter, node, layer, c, rows, stem, lower_small);
}

bool lower_conv_quantised(Emitter& emitter, const Node& node) {
  return lower_conv_layer(emitter, node, conv_layer(emitter.region, node));
}

}  // namespace byoc::c
