// Convolutions on i8: the matrix kernels over patches, or the depthwise kernels over planes. byoc/nodes/convolution.hpp
// reads the layer, conv_plan plans a kernel's work, and conv_options chooses the kernel.
#include "backends/c/lower/conv/conv_quantised.hpp"

#include "backends/c/costs/cost_table.hpp"
#include "backends/c/lower/conv/conv_plan.hpp"
#include "backends/c/lower/conv/conv_twins.hpp"
#include "backends/c/lower/conv/conv_weights.hpp"
#include "backends/c/lower/dense/dense_quantised.hpp"
#include "backends/c/lower/quantise/packed_weights.hpp"
#include "backends/c/lower/quantise/quantised.hpp"
#include "backends/c/lower/quantise/requant_lines.hpp"
#include "backends/layers/in_place.hpp"
#include "backends/layers/weight_packing.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Verdict;

ParameterText conv_parameters(const Convolution& c, std::string_view weights, const std::string& requant,
                              std::int64_t in_zero, bool per_group) {
  ParameterText p;
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
  return p;
}

Verdict accepts_conv_layer(const Region& region, const Node& node, const QuantisedLayer& layer) {
  if (auto no = refuse_activation(region, layer.out, "output")) return *no;
  Verdict why;
  const auto c = read_convolution(region, node, layer.in, layer.weights, layer.out, why);
  if (!c) return why;
  if (auto no = refuse_layer(region, layer, c->filter.out_axis, c->out.channels)) return *no;
  return claim();
}

Verdict accepts_conv_quantised(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_conv_layer(region, node, lifted_layer(region, node));
}

namespace {

// The call in a step: a kernel with its parameters and workspace.
struct Call {
  std::string kernel, type, header;
  Definition definition;
  std::string prototype;  // if the header has none: what it calls one
  std::uint64_t workspace = 0;
  std::optional<std::uint64_t> lead = {};  // of the output before the input, if it may lie over it
};

// The constants of a layer, for any kernel.
struct Constants {
  std::string stem, requant;
  bool last_use = false;          // of the input: it pays to write over it
  std::vector<std::int8_t> rows;  // the filter as [output channel][tap][input channel of the group]
  std::int64_t in_zero = 0;
  Scaling scaling = Scaling::tflite;
  std::string_view kernel;  // that was chosen, without its bits
  unsigned bits = 8;        // of the weights in flash
  std::optional<TwinChannels> twins = {};
  int line = 0;  // of byoc_depthwise_s8_t

  [[nodiscard]] bool packed() const { return bits < 8; }
};

Kernel form_of(const Constants& k, const std::string& stem) {
  return with_bits(requant_kernel(k.scaling, stem), k.bits);
}

// The requantisation by lines for the depthwise kernel of the DSP extension, if it supports the layer.
std::optional<RequantLines> depthwise_lines(const Emitter& emitter, const QuantisedLayer& layer, const Convolution& c,
                                            const Constants& k) {
  if (!c.depthwise() || k.kernel == kSmallConv) return std::nullopt;
  const DepthwisePlan plan = plan_depthwise(c, k.scaling, k.bits, emitter.target, emitter.attempt, k.last_use);
  return takes_lines(plan) ? lines_of(layer, c.clamp, k.rows, c.out.channels) : std::nullopt;
}

// The byoc_requant_t of a kernel that scales sums in a way of its own.
std::string own_requant(const std::string& bias, const std::string& scale, Clamp clamp) {
  return ParameterText()
      .add("bias", bias)
      .add("scale", scale)
      .add("shift", "0")
      .add("step", 0)
      .add("zero", 0)
      .add("min", clamp.low)
      .add("max", clamp.high)
      .nested("byoc_requant_t");
}

std::string filter_constant(Emitter& emitter, const Constants& k, const std::vector<std::int8_t>& packed) {
  return emitter.constant<std::int8_t>(k.stem + "_weights", packed, true);
}

Call lower_depthwise(Emitter& emitter, const Convolution& image, const Constants& k, const std::string& name) {
  const DepthwisePlan plan = plan_depthwise(image, k.scaling, k.bits, emitter.target, emitter.attempt, k.last_use);
  const Convolution& c = plan.c;
  Call call;
  call.kernel = emitter.kernel(form_of(k, path_stem("depthwise_s8", plan.path)));
  call.type = "byoc_depthwise_s8_t";
  call.header = "byoc_depthwise_s8.h";
  call.prototype = "BYOC_DEPTHWISE_S8";
  call.workspace = static_cast<std::uint64_t>(plan.workspace(plan.band_rows));
  call.lead = plan.lead;
  ParameterText p;
  const std::vector<std::int8_t> rows = plan.turned ? transposed_rows(image, k.rows) : k.rows;
  const std::string weights = filter_constant(emitter, k, k.packed() ? pack_bits(rows, k.bits) : rows);
  p.add("conv", conv_parameters(c, weights, k.requant, k.in_zero, false).nested("byoc_conv_s8_t"))
      .add("plane_w", plan.plane_w)
      .add("band_rows", plan.band_rows)
      .add("form", plan.path == Path::mve ? plan.form() : k.line);
  call.definition = p.definition(call.type, name);
  return call;
}

// Weights and workspace as the kernel's own comment gives them.
Call lower_small(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  const bool dsp = kernel_path(k.scaling, emitter.target) == Path::dsp;
  Call call;
  call.kernel = emitter.kernel(form_of(k, "conv_s8_small"));
  call.type = "byoc_conv_s8_t";
  call.header = "byoc_conv_s8.h";
  call.prototype = "BYOC_CONV_S8";
  const std::int64_t depth = c.depth(), padded = whole_words(depth, k.bits);
  const WeightRows rows{k.rows, c.groups, c.group_out(), depth};
  const bool by_pixels = c.depthwise() && c.group_out() == 1;
  call.lead = group_lead(c.in, c.out, c.window, by_pixels ? 1 : c.groups, Reads::before_writing, 1);
  std::vector<std::int8_t> packed;
  if (by_pixels) {
    packed = by_tap(k.rows, depth);
    if (k.packed()) packed = pack_bits(packed, k.bits);
    call.workspace = static_cast<std::uint64_t>(4 * c.out.channels);
  } else {
    packed = !k.packed() ? (dsp ? pack_fours(rows) : k.rows)
             : dsp       ? pack_bit_words(rows, k.bits, false)
                         : pack_bit_rows(rows, k.bits);
    call.workspace = static_cast<std::uint64_t>(dsp ? 4 * padded * 2 : 2 * depth);
  }
  call.definition =
      conv_parameters(c, filter_constant(emitter, k, packed), k.requant, k.in_zero, true).definition(call.type, name);
  return call;
}

// The order of weights in the MVE kernel.
std::vector<std::int8_t> pack_for_vectors(const Constants& k, const WeightRows& rows) {
  if (!k.packed()) return pack_weights(rows, 2, 16);
  const std::int64_t depth = whole_vectors(rows.depth, k.bits);
  const std::vector<std::int8_t> whole = pack_weights(rows, 1, depth);
  return pack_bit_vectors(pack_weights({whole, rows.groups, rows.channels, depth}, 2, 16), k.bits);
}

// Weights and workspace as the kernels' own comments give them.
Call lower_patches(Emitter& emitter, const Convolution& image, const Constants& k, const std::string& name) {
  const Path path = patches_path(image, k.scaling, emitter.target);
  const Convolution c = path == Path::mve ? in_one_row(image) : image;
  const std::int64_t depth = c.depth(), padded = whole_words(depth, k.bits);
  const WeightRows rows{k.rows, c.groups, c.group_out(), depth};
  Call call;
  Kernel kernel = form_of(k, path_stem("conv_s8", path));
  if (path == Path::mve && emitter.objective != Objective::size) kernel.defines["BYOC_FEW_BLOCKS"] = "1";
  call.kernel = emitter.kernel(kernel);
  call.type = "byoc_conv_s8_t";
  call.header = "byoc_conv_s8.h";
  call.prototype = "BYOC_CONV_S8";
  bool direct = path == Path::portable && c.in_place();
  call.lead = group_lead(c.in, c.out, c.window, c.groups, Reads::before_writing, 1);
  if (direct && !may_copy_patches(k.last_use, emitter.objective, emitter.attempt)) call.lead.reset();
  if (call.lead) direct = false;
  std::int64_t workspace = direct ? 0 : 2 * depth;
  std::vector<std::int8_t> packed;
  if (path == Path::mve) {
    const std::int64_t vectors = whole_vectors(depth, k.bits);
    workspace = patches_workspace(c, vectors);
    packed = pack_for_vectors(k, rows);
  } else if (path == Path::dsp) {
    const bool staged = c.in.chan != 1 || c.group_in() % 4 != 0;
    workspace = padded * (4 * 2 + (staged ? 1 : 0));
    packed = k.packed() ? pack_bit_words(rows, k.bits, true) : pack_weights(rows, 1, 4);
  } else {
    packed = k.packed() ? pack_bit_rows(rows, k.bits) : k.rows;
  }
  call.workspace = static_cast<std::uint64_t>(workspace);
  call.definition =
      conv_parameters(c, filter_constant(emitter, k, packed), k.requant, k.in_zero, true).definition(call.type, name);
  return call;
}

// Two channels to a word of weights.
Call lower_twins(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  const TwinChannels& channels = *k.twins;
  const bool blocks = k.kernel.ends_with(kBlock);
  Kernel kernel{std::string(kTwins) + ".c", "byoc_" + std::string(k.kernel), {}};
  if (channels.lines) kernel.defines["BYOC_REQUANT_LINE"] = "1";
  if (blocks) kernel.defines["BYOC_BLOCK_PIXELS"] = std::to_string(kBlockPixels);
  if (wants_loads_apart(emitter.target)) kernel.defines["BYOC_LOADS_APART"] = "1";
  Call call;
  call.kernel = emitter.kernel(kernel);
  call.type = "byoc_conv_twin_s8_t";
  call.header = "byoc_conv_twin_s8.h";
  call.workspace = static_cast<std::uint64_t>(twin_workspace(c, blocks));
  call.lead = group_lead(c.in, c.out, c.window, c.groups, Reads::before_writing, 1);
  const std::vector<std::int8_t> packed = pack_twins({k.rows, c.groups, c.group_out(), c.depth()});
  ParameterText p;
  p.add("conv",
        conv_parameters(c, filter_constant(emitter, k, packed), k.requant, k.in_zero, true).nested("byoc_conv_s8_t"))
      .add("channels", emitter.constant<std::int32_t>(k.stem + "_channels", channels.records, true))
      .add("shift", channels.shift);
  call.definition = p.definition(call.type, name);
  return call;
}

// Depthwise, four channels at a time through all taps.
Call lower_taps(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  Call call;
  call.kernel = emitter.kernel({std::string(kTaps) + ".c", "byoc_" + std::string(kTaps), {{"BYOC_REQUANT_LINE", "1"}}});
  call.type = "byoc_conv_twin_s8_t";
  call.header = "byoc_conv_twin_s8.h";
  call.workspace = static_cast<std::uint64_t>(4 * c.taps() + c.in.channels);
  call.lead = window_lead(c.in, c.out, c.window, Reads::while_writing, 1);
  const std::string weights = filter_constant(emitter, k, by_channels(k.rows, c.taps(), 4));
  ParameterText p;
  p.add("conv", conv_parameters(c, weights, k.requant, k.in_zero, false).nested("byoc_conv_s8_t"))
      .add("channels", emitter.constant<std::int32_t>(k.stem + "_channels", k.twins->records, true))
      .add("shift", k.twins->shift);
  call.definition = p.definition(call.type, name);
  return call;
}

// As lower_taps(), with vectors of eight channels.
Call lower_vector_taps(Emitter& emitter, const Convolution& c, const Constants& k, const std::string& name) {
  Call call;
  call.kernel = emitter.kernel(form_of(k, std::string(kVectorTaps)));
  call.type = "byoc_conv_s8_t";
  call.header = "byoc_conv_s8.h";
  call.workspace = static_cast<std::uint64_t>(4 * c.taps() + c.in.channels);
  call.lead = window_lead(c.in, c.out, c.window, Reads::while_writing, 1);
  const std::string weights = filter_constant(emitter, k, by_channels(k.rows, c.taps(), 8));
  call.definition = conv_parameters(c, weights, k.requant, k.in_zero, false).definition(call.type, name);
  return call;
}

// The step of a layer with i8 operands, whose filter is `rows`.
bool lower_filter(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c,
                  const std::vector<std::int8_t>& rows, ChosenForm form, const std::string& stem,
                  Call lower(Emitter&, const Convolution&, const Constants&, const std::string&)) {
  codegen::Step step;
  step.nodes = {static_cast<codegen::NodeId>(&node - emitter.region.nodes.data())};
  step.symbol = emitter.host().claim(stem);
  step.inputs = {{layer.input}};
  step.outputs = {{layer.output}};
  step.macs = c.macs();
  Constants k{
      stem,        "",       is_last_use(emitter.region, layer.input), rows, affine(layer.in).zero, layer.scaling,
      form.kernel, form.bits};
  if (form.kernel.starts_with(kTwins)) {
    for (TwinChannels& t : twin_channels(c, layer, rows))
      if (form.kernel == t.kernel() || form.kernel == t.kernel() + std::string(kBlock)) k.twins = std::move(t);
    k.requant = own_requant("0", "0", c.clamp);
    lower = lower_twins;
  } else if (form.kernel == kTaps) {
    k.twins = taps_channels(c, layer, rows);
    k.requant = own_requant("0", "0", c.clamp);
    lower = lower_taps;
  } else if (const auto lines = depthwise_lines(emitter, layer, c, k)) {
    k.line = lines->shift;
    k.requant = own_requant(emitter.constant<std::int32_t>(stem + "_bias", lines->bias, true),
                            emitter.constant<std::int32_t>(stem + "_lines", lines->scales, false), c.clamp);
  } else {
    if (form.kernel == kVectorTaps) lower = lower_vector_taps;
    k.requant = emit_requant(emitter, k.scaling, stem, layer.in, layer.weights, layer.bias, layer.out, c.clamp,
                             row_sums(rows, c.out.channels));
  }
  const std::string name = step.symbol + "_params";
  const Call call = lower(emitter, c, k, name);
  step.kernel = call.kernel;
  if (call.workspace) step.workspaces = {{call.workspace, 4, {}}};
  if (call.lead) step.overlays = {{0, 0, *call.lead}};
  StepText text;
  text.includes = {call.header};
  if (k.packed()) text.declarations.insert(call.prototype + "(" + call.kernel + ");");
  text.parameters = {call.definition};
  text.body = "  " + call.kernel + "(&" + name + ", in0, out0, " + (call.workspace ? "ws0" : "0") + ");\n";
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace

bool lower_conv_layer(Emitter& emitter, const Node& node, const QuantisedLayer& layer) {
  Verdict why;
  const auto c = read_convolution(emitter.region, node, layer.in, layer.weights, layer.out, why);
  if (!c) return emitter.error(node, why.text);
  const auto id = static_cast<codegen::NodeId>(&node - emitter.region.nodes.data());
  const std::string stem = "conv_" + std::to_string(id);
  if (is_general(layer, c->filter.out_axis, c->depth(), emitter.objective))
    return lower_general_conv(emitter, node, layer, *c, stem);
  if (const auto dense = as_dense(*c)) return lower_dense_quantised(emitter, node, layer, *dense);
  const std::vector<std::int8_t> rows = filter_rows_of(*c, layer.weights);
  const ChosenForm form = chosen_form(emitter.chosen(node), packed_bits(layer, c->filter.out_axis, c->depth()));
  if (form.kernel == kSmallConv) return lower_small_conv(emitter, node, layer, *c, rows, form.bits, stem);
  return lower_filter(emitter, node, layer, *c, rows, form, stem, c->depthwise() ? lower_depthwise : lower_patches);
}

bool lower_small_conv(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c,
                      const std::vector<std::int8_t>& rows, unsigned bits, const std::string& stem) {
  return lower_filter(emitter, node, layer, c, rows, {kSmallConv, bits}, stem, lower_small);
}

bool lower_conv_quantised(Emitter& emitter, const Node& node) {
  return lower_conv_layer(emitter, node, lifted_layer(emitter.region, node));
}

}  // namespace byoc::c
