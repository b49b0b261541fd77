// Convolutions on i8: the matrix kernels over patches, or the depthwise kernels over planes.
#include "backends/c/lower/conv/conv_quantised.hpp"

#include <algorithm>

#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/kernel_options.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/step/in_place.hpp"
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

std::optional<Convolution> read(const Region& region, const Node& node, const QuantisedLayer& layer, Verdict& why) {
  const Value &x = layer.in, &w = layer.weights, &y = layer.out;
  const auto in = read_image(node, x), out = read_output_image(node, y);
  const auto window = read_window(node, spatial_dims(node, w));
  const auto filter = read_filter_layout(node.text("filter_layout", "OIHW"), w.dims);
  const auto clamp = activation_clamp(region, node, y);
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
  const auto c = read(region, node, layer, why);
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
  const Node* node;
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

// How the depthwise kernels go through an image.
struct DepthwisePlan {
  Path path;
  bool turned;    // rows and columns exchanged
  Convolution c;  // as the kernel sees it
  std::int64_t plane_w, band_rows;
  std::optional<std::uint64_t> lead = {};  // of the output before the input, if it may lie over it

  // Blocks of results are computed whole, from elements that may lie behind the plane.
  [[nodiscard]] std::int64_t plane(std::int64_t band) const {
    const Window& w = c.window;
    return ((band - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1) * plane_w;
  }
  [[nodiscard]] std::int64_t workspace(std::int64_t band) const {
    const Window& w = c.window;
    const std::int64_t sums = std::max(4 * band * c.out.width, w.stride_h * plane_w + 3 * w.stride_w);
    return path == Path::mve ? (plane(band) + 3) / 4 * 4 + sums : path == Path::dsp ? 2 * plane(band) : plane(band);
  }
};

// `last_use`: of the input.
DepthwisePlan plan_depthwise(const Convolution& image, Scaling scaling, const TargetSpec& target, std::uint32_t attempt,
                             bool last_use) {
  const Path path = kernel_path(scaling, target);
  const bool turned = better_transposed(image, path);
  DepthwisePlan p{path, turned, turned ? transposed(image) : image, 0, 0};
  const Window& w = p.c.window;
  p.plane_w = depthwise_plane_width(p.c);
  if (path == Path::mve && !fits_mve(p.c, p.plane_w)) p.path = target.has("dsp") ? Path::dsp : Path::portable;
  if (p.path == Path::dsp) p.plane_w = (p.plane_w + 2) / 2 * 2;  // pairs, and one element behind the last
  const std::int64_t most = attempt == 0 ? kBandElements : kShortBandElements;
  const std::int64_t elements = p.path == Path::mve ? most / 2 : most;
  const std::int64_t reach_h = (w.kernel_h - 1) * w.dilation_h + 1;
  const std::int64_t whole = p.c.out.height;
  p.band_rows = std::clamp<std::int64_t>((elements / p.plane_w - reach_h) / w.stride_h + 1, 1, whole);
  // Where the output overwrites its input, a plane that is the whole image needs no lead; else each band of a channel
  // is copied before its results are written.
  const bool at_input = channels_in_place(image.in, image.out);
  p.lead = channel_lead(p.c.in, p.c.out, w, 1, 1);
  const std::int64_t results = image.out.batch * image.out.batch_stride;
  const std::int64_t more = p.workspace(whole) - p.workspace(p.band_rows);
  if (at_input && last_use && more < (p.lead ? static_cast<std::int64_t>(*p.lead) : results)) p.band_rows = whole;
  if (at_input && p.band_rows == whole) p.lead = 0;
  return p;
}

Call lower_depthwise(Emitter& emitter, const Convolution& image, const Constants& k, const std::string& name) {
  const DepthwisePlan plan = plan_depthwise(image, k.scaling, emitter.target, emitter.attempt, k.last_use);
  const Convolution& c = plan.c;
  Call call;
  call.kernel = emitter.kernel(requant_kernel(k.scaling, path_stem("depthwise_s8", plan.path)));
  call.type = "byoc_depthwise_s8_t";
  call.header = "byoc_depthwise_s8.h";
  call.workspace = static_cast<std::uint64_t>(plan.workspace(plan.band_rows));
  call.lead = plan.lead;
  ParameterText conv, p;
  const std::string weights =
      emitter.constant<std::int8_t>(k.stem + "_weights", plan.turned ? transposed_rows(image, k.rows) : k.rows, true);
  p.add("conv", conv_parameters(c, weights, k.requant, k.in_zero, false, conv))
      .add("plane_w", plan.plane_w)
      .add("band_rows", plan.band_rows);
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

// The kernel that takes 16-bit weights: twice the flash for a sixth fewer instructions.
constexpr std::string_view kWidePatches = "conv_s8_dsp_w16";

Path patches_path(const Convolution& c, Scaling scaling, const TargetSpec& target) {
  const Path path = kernel_path(scaling, target);
  // The MVE kernel stores by 16-bit offsets.
  if (path == Path::mve && std::max(7 * c.out.col, 3 * c.out.col + c.out.chan) > 65535)
    return target.has("dsp") ? Path::dsp : Path::portable;
  return path;
}

// The MVE kernel keeps the weights of such patches in registers.
bool is_small_patch(const Convolution& c) { return c.depth() <= 64 && c.out.height * c.out.width >= 8; }

// Patches that are read where they lie must be copied before they are written over, which costs a little time.
bool may_copy_patches(bool last_use, Objective objective, std::uint32_t attempt) {
  return last_use && (objective != Objective::speed || attempt > 0);
}

// Weights and workspace as the kernels' own comments give them.
Call lower_patches(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  const Path path = patches_path(c, k.scaling, emitter.target);
  const std::int64_t depth = c.depth(), padded = (depth + 3) / 4 * 4;
  const WeightRows rows{k.rows, c.groups, c.group_out(), depth};
  const bool wide = emitter.chosen(*k.node) == kWidePatches;
  Kernel kernel = requant_kernel(k.scaling, path_stem("conv_s8", path));
  if (wide) {
    kernel.symbol += "_w16";
    kernel.defines["BYOC_WEIGHTS_S16"] = "1";
  }
  Call call;
  call.kernel = emitter.kernel(kernel);
  call.type = "byoc_conv_s8_t";
  call.header = "byoc_conv_s8.h";
  const bool small = is_small_patch(c);
  bool direct = path == Path::mve        ? small && pixels_in_line(c) && depth % 16 == 0
                : path == Path::portable ? c.in_place()
                                         : false;
  // Several groups are computed one after the other from the same pixels.
  if (c.groups == 1) call.lead = window_lead(c.in, c.out, c.window, Reads::before_writing, 1);
  if (direct && !may_copy_patches(k.last_use, emitter.objective, emitter.attempt)) call.lead.reset();
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
  Constants k{&node, stem, "", is_last_use(emitter.region, layer.input), rows, affine(layer.in).zero, layer.scaling};
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

namespace {

// One pixel to one pixel is a product of rows with a matrix, whose kernel takes several channels at a time.
std::optional<DenseQuantised> as_dense(const Convolution& c) {
  const bool one_pixel = c.in.height * c.in.width == 1 && c.out.height * c.out.width == 1 && c.taps() == 1;
  const bool padded = c.window.pad_top != 0 || c.window.pad_left != 0;
  if (!one_pixel || padded || c.groups != 1 || c.filter.out_axis != 0) return std::nullopt;
  return DenseQuantised{c.in.batch, c.depth(), c.out.channels, 0};
}

}  // namespace

bool lower_conv_layer(Emitter& emitter, const Node& node, const QuantisedLayer& layer) {
  Verdict why;
  const auto c = read(emitter.region, node, layer, why);
  if (!c) return emitter.error(node, why.text);
  const auto id = static_cast<codegen::NodeId>(&node - emitter.region.nodes.data());
  const std::string stem = "conv_" + std::to_string(id);
  if (is_general(layer, c->filter.out_axis, emitter.objective))
    return lower_general_conv(emitter, node, layer, *c, stem);
  if (const auto dense = as_dense(*c)) return lower_dense_quantised(emitter, node, layer, *dense);
  const auto size = static_cast<std::int64_t>(layer.weights.data.size());
  const std::int64_t inner = c->filter.out_axis == 0 ? size / c->out.channels : 1;
  const auto channel = [&](std::size_t i) { return static_cast<std::int64_t>(i) / inner % c->out.channels; };
  const std::vector<std::int8_t> rows = filter_rows(*c, weights_s8(layer.weights, channel));
  if (emitter.chosen(node) == kSmallConv) return lower_small_conv(emitter, node, layer, *c, rows, stem);
  return lower_filter(emitter, node, layer, *c, rows, stem, c->depthwise() ? lower_depthwise : lower_patches);
}

bool lower_small_conv(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c,
                      const std::vector<std::int8_t>& rows, const std::string& stem) {
  return lower_filter(emitter, node, layer, c, rows, stem, lower_small);
}

namespace {

// Elements of the windows of all results, and how dear it is to copy them: channels that are not next to each other
// come one by one.
double copied_patches(const Convolution& c) {
  const bool joined = c.in.chan == 1 && c.in.col == c.in.channels / c.groups && c.window.dilation_w == 1;
  const double pixels = static_cast<double>(c.in.batch * c.groups * c.out.height * c.out.width);
  return pixels * static_cast<double>(c.depth()) * (joined ? 1 : 2);
}

KernelOption patches_option(const Convolution& c, Scaling scaling, const LayerQuestion& q, bool last_use) {
  const Path path = patches_path(c, scaling, q.target);
  const bool copies = may_copy_patches(last_use, q.objective, q.attempt);
  const std::int64_t depth = c.depth(), channels = c.group_out(), pixels = c.out.height * c.out.width;
  const auto images = static_cast<double>(c.in.batch * c.groups);
  KernelOption o;
  o.kernel = path_stem("conv_s8", path);
  o.suffix = requant_suffix(scaling);
  o.work.rows = images * static_cast<double>(pixels * c.window.kernel_h);
  o.work.copied = copied_patches(c);
  if (path == Path::mve) {
    const bool small = is_small_patch(c), staged = c.in.chan != 1 || c.group_in() % 16 != 0;
    const bool direct = small && !copies && pixels_in_line(c) && depth % 16 == 0;
    o.way = direct ? "in place" : small ? "small" : staged ? "staged" : "";
    o.work.starts = images * (small ? rounded_up(pixels, 32) / 32 * static_cast<double>(channels)
                                    : rounded_up(pixels, 4) / 4 * rounded_up(channels, 2) / 2);
    o.work.results = images * (small ? rounded_up(pixels, 8) * static_cast<double>(channels)
                                     : rounded_up(pixels, 4) * rounded_up(channels, 2));
    o.work.products = o.work.results * rounded_up(depth, 16);
    o.constants = static_cast<std::uint64_t>(small ? static_cast<double>(c.out.channels * depth)
                                                   : static_cast<double>(c.groups) * rounded_up(channels, 2) *
                                                         rounded_up(depth, 16));
    o.workspace = static_cast<std::uint64_t>(rounded_up(depth, 16) * (small ? 32 : 5));
  } else if (path == Path::dsp) {
    const bool staged = c.in.chan != 1 || c.group_in() % 4 != 0;
    o.way = staged ? "staged" : "";
    o.work.starts = images * rounded_up(pixels, 4) / 4 * static_cast<double>(channels);
    o.work.results = 4 * o.work.starts;
    o.work.products = o.work.results * rounded_up(depth, 4);
    o.constants = static_cast<std::uint64_t>(static_cast<double>(c.out.channels) * rounded_up(depth, 4));
    o.workspace = static_cast<std::uint64_t>(rounded_up(depth, 4) * (staged ? 9 : 8));
  } else {
    if (c.in_place() && !copies) o.work.rows = o.work.copied = 0;
    o.work.starts = images * rounded_up(pixels, 2) / 2 * rounded_up(channels, 2) / 2;
    o.work.results = images * static_cast<double>(pixels * channels);
    o.work.products = 4 * o.work.starts * static_cast<double>(depth);
    o.constants = static_cast<std::uint64_t>(c.out.channels * depth);
    o.workspace = static_cast<std::uint64_t>(2 * depth);
  }
  return o;
}

KernelOption wide_option(KernelOption o) {
  o.kernel = kWidePatches;
  o.constants *= 2;
  return o;
}

KernelOption depthwise_option(const Convolution& image, Scaling scaling, const LayerQuestion& q, bool last_use) {
  const DepthwisePlan plan = plan_depthwise(image, scaling, q.target, q.attempt, last_use);
  const Convolution& c = plan.c;
  const Window& w = c.window;
  const bool undilated = w.dilation_w == 1 && (plan.path == Path::portable || w.dilation_h == 1);
  const bool plain = w.kernel_h == 3 && w.kernel_w == 3 && undilated;
  const bool strided = w.stride_w != 1 || (plan.path == Path::dsp && w.stride_h != 1);
  KernelOption o;
  o.kernel = path_stem("depthwise_s8", plan.path);
  o.suffix = requant_suffix(scaling);
  if (plan.path != Path::mve)
    o.way = !plain ? "" : strided ? "3x3 strided" : "3x3";
  else if (w.dilation_h == 1 && w.dilation_w == 1 && (w.kernel_h + w.stride_h) * (w.kernel_w + w.stride_w) <= 16 &&
           (w.kernel_h + w.stride_h - 1) * plan.plane_w + w.kernel_w + w.stride_w - 1 <= 255)
    o.way = "2x2";
  const std::int64_t bands = (c.out.height + plan.band_rows - 1) / plan.band_rows;
  const std::int64_t rows = bands * plan.plane(plan.band_rows) / plan.plane_w;
  const std::int64_t multiplier = c.out.channels / c.in.channels;
  const auto planes = static_cast<double>(c.in.batch * c.in.channels);
  o.work.starts = planes * static_cast<double>(bands * multiplier);
  o.work.rows = planes * static_cast<double>(rows + multiplier * c.out.height);
  o.work.copied = planes * static_cast<double>(rows * plan.plane_w);
  o.work.results = planes * static_cast<double>(multiplier * c.out.height) * rounded_up(c.out.width, 2);
  o.work.products = o.work.results * static_cast<double>(c.taps());
  o.constants = static_cast<std::uint64_t>(c.out.channels * c.taps());
  o.workspace = static_cast<std::uint64_t>(plan.workspace(plan.band_rows));
  return o;
}

}  // namespace

KernelOption small_conv_option(const Convolution& c, Scaling scaling, const TargetSpec& target) {
  const bool dsp = kernel_path(scaling, target) == Path::dsp, by_pixels = c.depthwise() && c.group_out() == 1;
  const std::int64_t depth = c.depth(), block = dsp ? 4 : 2, pixels = c.out.height * c.out.width;
  KernelOption o;
  o.kernel = kSmallConv;
  o.suffix = requant_suffix(scaling);
  o.constants = static_cast<std::uint64_t>(static_cast<double>(c.out.channels) *
                                           (dsp && !by_pixels ? rounded_up(depth, 4) : static_cast<double>(depth)));
  if (by_pixels) {
    o.way = "by pixels";
    o.work.starts = static_cast<double>(c.in.batch * pixels);
    o.work.rows = o.work.starts * static_cast<double>(c.taps());
    o.work.results = o.work.starts * static_cast<double>(c.out.channels);
    o.work.products = o.work.results * static_cast<double>(depth);
    o.workspace = static_cast<std::uint64_t>(4 * c.out.channels);
    return o;
  }
  const auto images = static_cast<double>(c.in.batch * c.groups);
  o.work.starts = images * rounded_up(pixels, block) / static_cast<double>(block) * static_cast<double>(c.group_out());
  o.work.rows = images * static_cast<double>(pixels * c.taps());
  o.work.copied = images * static_cast<double>(pixels * depth);
  o.work.results = images * static_cast<double>(pixels * c.group_out());
  o.work.products =
      o.work.starts * static_cast<double>(block) * (dsp ? rounded_up(depth, 4) : static_cast<double>(depth));
  o.workspace = static_cast<std::uint64_t>(dsp ? rounded_up(depth, 4) * 8 : static_cast<double>(2 * depth));
  return o;
}

std::vector<KernelOption> conv_layer_options(const LayerQuestion& q, const Node& node, const QuantisedLayer& layer) {
  Verdict why;
  const auto c = read(q.region, node, layer, why);
  if (!c || is_general(layer, c->filter.out_axis, q.objective)) return {};
  if (const auto dense = as_dense(*c)) return dense_options(q, layer, *dense);
  const bool last_use = is_last_use(q.region, layer.input);
  std::vector<KernelOption> out;
  if (c->depthwise()) {
    out.push_back(depthwise_option(*c, layer.scaling, q, last_use));
  } else {
    out.push_back(patches_option(*c, layer.scaling, q, last_use));
    // Twice the flash of the weights is for speed alone.
    if (out[0].kernel == "conv_s8_dsp" && q.objective == Objective::speed) out.push_back(wide_option(out[0]));
  }
  if (kernel_path(layer.scaling, q.target) != Path::mve) out.push_back(small_conv_option(*c, layer.scaling, q.target));
  return out;
}

std::vector<KernelOption> conv_options(const LayerQuestion& q, const Node& node) {
  if (!q.region.values[node.inputs[0]].quantised()) return {};
  return conv_layer_options(q, node, conv_layer(q.region, node));
}

bool lower_conv_quantised(Emitter& emitter, const Node& node) {
  return lower_conv_layer(emitter, node, conv_layer(emitter.region, node));
}

}  // namespace byoc::c
