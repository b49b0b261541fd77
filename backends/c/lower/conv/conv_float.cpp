// Conv on f32: weights packed for the blocks of kernels/byoc_conv_f32.h, or for the depthwise kernels.
#include <algorithm>
#include <optional>
#include <span>

#include "backends/c/lower/dense/float_kernels.hpp"
#include "backends/c/lower/elementwise/activation.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/step/extent.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "backends/c/lower/step/parameter_text.hpp"
#include "backends/layers/in_place.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {
namespace {

using codegen::Arrangement;
using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

// A depthwise convolution with a result a channel, in a plane.
bool is_depthwise(const SpatialConvolution& c) {
  return c.group_in() == 1 && c.group_out() == 1 && c.groups > 1 && c.spatial.rank < 3;
}

// [group][block][depth][kFloatBlock], the depth in the order of the input's layout.
Arrangement filter_block_order(const SpatialConvolution& c) {
  const auto n = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  const std::uint64_t taps = n(c.spatial.kernel_size());
  enum : std::uint32_t { group, out, in, tap };
  Arrangement a{.element_size = sizeof(float)};
  a.axes = {{n(c.groups), n(c.group_out() * c.w_out)},
            {n(c.group_out()), n(c.w_out)},
            {n(c.group_in()), n(c.w_in)},
            {taps, n(c.w_step[2])}};
  const Arrangement::Loop ins{n(c.group_in()), in, 1}, all_taps{taps, tap, 1};
  a.loops = {{n(c.groups), group, 1},
             {n((c.group_out() + kFloatBlock - 1) / kFloatBlock), out, n(kFloatBlock)},
             c.spatial.channels_last ? all_taps : ins,
             c.spatial.channels_last ? ins : all_taps,
             {n(kFloatBlock), out, 1}};
  return a;
}

// [block][tap][kFloatBlock]
Arrangement depthwise_order(const SpatialConvolution& c) {
  const auto n = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  const std::uint64_t taps = n(c.spatial.kernel_size());
  enum : std::uint32_t { channel, tap };
  return {.element_size = sizeof(float),
          .axes = {{n(c.groups), n(c.w_out)}, {taps, n(c.w_step[2])}},
          .loops = {{n((c.groups + kFloatBlock - 1) / kFloatBlock), channel, n(kFloatBlock)},
                    {taps, tap, 1},
                    {n(kFloatBlock), channel, 1}}};
}

// One bias for each output channel, every group of `channels` filled up to whole blocks; zeros if the node has none.
std::vector<float> pack_bias(const Value* bias, std::int64_t groups, std::int64_t channels) {
  const std::int64_t packed = (channels + kFloatBlock - 1) / kFloatBlock * kFloatBlock;
  std::vector<float> out(static_cast<std::size_t>(groups * packed));
  if (!bias) return out;
  const std::vector<float> b = constant_elements<float>(*bias);
  for (std::int64_t o = 0; o < groups * channels; ++o)
    out[static_cast<std::size_t>(o / channels * packed + o % channels)] = b[static_cast<std::size_t>(o)];
  return out;
}

// The differences between the two families of kernels.
struct FloatCall {
  std::string kernel, header, type;
  ParameterText parameters;
  std::uint64_t workspace = 0;             // bytes
  std::optional<std::uint64_t> lead = {};  // of the output before the input, if it may lie over it
  Arrangement weights;
  std::vector<float> bias;
};

FloatCall depthwise_call(Emitter& emitter, const SpatialConvolution& c, const Value* bias) {
  const Spatial& s = c.spatial;
  const auto last = [](const Dims3& d) { return std::span<const std::int64_t>(d).subspan(1); };
  const std::int64_t ring_rows = (s.kernel[1] - 1) * s.dilation[1] + 1;
  const std::int64_t ring_width = (s.out[2] - 1) * s.stride[2] + (s.kernel[2] - 1) * s.dilation[2] + 1;
  FloatForm form = depthwise_form(emitter.target);
  form.defines["BYOC_CHANNELS_LAST"] = s.channels_last ? "1" : "0";
  FloatCall call;
  call.kernel = emitter.kernel(
      {"depthwise_f32" + form.suffix + ".c",
       std::string("byoc_depthwise_") + (s.channels_last ? "nhwc" : "nchw") + "_f32" + form.suffix, form.defines});
  call.header = "byoc_depthwise_f32.h";
  call.type = "byoc_depthwise_f32_t";
  call.parameters.add("batch", extent(s.batch)).add("channels", c.groups);
  call.parameters.add("in", extents(last(s.in))).add("out", extents(last(s.out))).add("kernel", last(s.kernel));
  call.parameters.add("stride", last(s.stride)).add("dilation", last(s.dilation)).add("pad", last(s.pad));
  call.parameters.add("ring_rows", ring_rows).add("ring_width", ring_width);
  call.workspace = static_cast<std::uint64_t>(ring_rows * ring_width * kFloatBlock) * sizeof(float);
  // Rows of four channels go through the ring: each is read before the pixels of the row that first needs it are
  // written.
  if (const auto p = without_depth(s); p && emitter.region.symbols.empty())
    call.lead = channel_lead(p->in, p->out, p->window, kFloatBlock, sizeof(float));
  call.weights = depthwise_order(c);
  call.bias = pack_bias(bias, 1, c.groups);
  return call;
}

FloatCall block_call(Emitter& emitter, const SpatialConvolution& c, const Value* bias) {
  const Spatial& s = c.spatial;
  const bool open = std::any_of(s.out.begin(), s.out.end(), [](std::int64_t d) { return d < 0; });
  FloatForm form = block_form(emitter.target, open ? std::nullopt : std::optional(s.out_size()));
  form.defines["BYOC_CHANNELS_LAST"] = s.channels_last ? "1" : "0";
  FloatCall call;
  call.kernel = emitter.kernel(
      {"conv_f32" + form.suffix + ".c",
       std::string("byoc_conv_") + (s.channels_last ? "nhwc" : "nchw") + "_f32" + form.block_suffix(), form.defines});
  call.header = "byoc_conv_f32.h";
  call.type = "byoc_conv_f32_t";
  call.parameters.add("batch", extent(s.batch)).add("groups", c.groups);
  call.parameters.add("in_channels", c.group_in()).add("out_channels", c.group_out());
  call.parameters.add("in", extents(s.in)).add("out", extents(s.out)).add("kernel", s.kernel);
  call.parameters.add("stride", s.stride).add("dilation", s.dilation).add("pad", s.pad);
  call.workspace =
      static_cast<std::uint64_t>(c.group_in() * s.kernel_size() * form.block_pixels(s.channels_last)) * sizeof(float);
  // A block of pixels is gathered before its first result is written. With channels first a pixel's results are far
  // apart.
  if (const auto p = without_depth(s); p && s.channels_last && emitter.region.symbols.empty())
    call.lead = group_lead(p->in, p->out, p->window, c.groups, Reads::before_writing, sizeof(float));
  call.weights = filter_block_order(c);
  call.bias = pack_bias(bias, c.groups, c.group_out());
  return call;
}

}  // namespace

Verdict accepts_conv_float(const Region& region, const Node& node, const TargetSpec&) {
  if (!is_float(region, node)) return refuse_dtype(region.values[node.inputs[0]].dtype, "f32 or quantised values");
  std::string why;
  const Value& w = region.values[node.inputs[1]];
  const Value* bias = given_input(region, node, 2);
  if (w.dtype != DType::f32) return refuse_dtype(w.dtype, "weights of f32");
  if (bias && bias->dtype != DType::f32) return refuse_dtype(bias->dtype, "a bias of f32");
  if (!w.is_constant) return refuse(Reason::not_constant, "found computed weights, expected a constant");
  if (bias && !bias->is_constant) return refuse(Reason::not_constant, "found a computed bias, expected a constant");
  const auto c = read_spatial_convolution(region, node, 1, why);
  if (!c) return refuse(Reason::unsupported_attribute, why);
  if (bias && bias->elements() != c->spatial.out_channels)
    return refuse(Reason::unsupported_shape,
                  "found a bias " + shape_text(*bias) + ", expected [" + std::to_string(c->spatial.out_channels) + "]");
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (is_depthwise(*c) && c->spatial.out[2] < 0)
    return refuse(Reason::unsupported_shape,
                  "found rows that only a run knows the length of, of a depthwise convolution");
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_conv_float(Emitter& emitter, const Node& node) {
  std::string why;
  const auto c = read_spatial_convolution(emitter.region, node, 1, why);
  if (!c) return emitter.error(node, why);
  const std::string name = stem(emitter, node);
  const Value* bias = emitter.input(node, 2);
  FloatCall call = is_depthwise(*c) ? depthwise_call(emitter, *c, bias) : block_call(emitter, *c, bias);

  codegen::Step step;
  step.symbol = emitter.host().claim(name);
  const Clamped clamped = fuse_clamp(emitter, node);
  const std::string w = emitter.constant_arranged<float>(name + "_weights", node.inputs[1], call.weights, 16);
  const std::string b = emitter.constant<float>(name + "_bias", call.bias, true, 16);
  call.parameters.add("bounds", c_bounds(clamped.bounds));
  StepText text;
  text.includes = {call.header};
  text.parameters = {call.parameters.definition(call.type, step.symbol + "_params")};
  text.body = "  " + call.kernel + "(&" + step.symbol + "_params, in0, " + w + ", " + b + ", out0, (float *)ws0);\n";

  step.inputs = {{node.inputs[0]}};
  step.outputs = {{clamped.output}};
  step.workspaces = {{.bytes = call.workspace, .align = 16, .pools = {}}};
  if (call.lead) step.overlays = {{0, 0, *call.lead}};
  step.nodes = clamped.nodes;
  if (emitter.region.symbols.empty()) step.macs = c->macs();
  step.kernel = call.kernel;
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
