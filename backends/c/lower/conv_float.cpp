// Conv on f32: weights packed for the blocks of kernels/byoc_conv_f32.h, or for the depthwise kernels.
#include "backends/c/lower/activation.hpp"
#include "backends/c/lower/constants.hpp"
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/operands.hpp"
#include "backends/c/lower/parameters.hpp"
#include "backends/c/lower/spatial.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

constexpr std::int64_t kBlock = 4;  // output channels that the kernels compute at once

// A filter element's place in the model's constant: channel-out stride and so on, in elements.
struct FilterLayout {
  std::int64_t out, in, tap;

  // `in_channels` of one group. Taps are dense in every layout.
  static std::optional<FilterLayout> read(std::string_view name, std::int64_t in_channels, std::int64_t out_channels,
                                          std::int64_t taps) {
    if (name == "OIHW") return FilterLayout{in_channels * taps, taps, 1};
    if (name == "OHWI") return FilterLayout{taps * in_channels, 1, in_channels};
    if (name == "IHWO") return FilterLayout{1, taps * out_channels, out_channels};
    return std::nullopt;
  }
};

struct Convolution {
  Spatial spatial;
  std::int64_t groups = 1;
  FilterLayout filter{};

  [[nodiscard]] std::int64_t group_in() const { return spatial.in_channels / groups; }
  [[nodiscard]] std::int64_t group_out() const { return spatial.out_channels / groups; }
  [[nodiscard]] std::int64_t depth() const { return group_in() * spatial.kernel_size(); }
  [[nodiscard]] bool depthwise() const { return group_in() == 1 && group_out() == 1 && groups > 1; }
};

std::optional<Convolution> read(const Region& region, const Node& node, std::string& why) {
  std::optional<Spatial> spatial = read_spatial(region, node, false, why);
  if (!spatial) return std::nullopt;
  Convolution c{.spatial = *spatial, .groups = node.integer("group", 1)};
  if (c.groups < 1 || c.spatial.in_channels % c.groups || c.spatial.out_channels % c.groups) {
    why = "found group " + std::to_string(c.groups) + " for " + std::to_string(c.spatial.in_channels) + " input and " +
          std::to_string(c.spatial.out_channels) + " output channels, expected a divisor of both";
    return std::nullopt;
  }
  const std::string layout = node.text("filter_layout", "OIHW");
  const auto filter = FilterLayout::read(layout, c.group_in(), c.spatial.out_channels, c.spatial.kernel_size());
  if (!filter) {
    why = "found filter_layout " + layout + ", expected OIHW, OHWI or IHWO";
    return std::nullopt;
  }
  c.filter = *filter;
  return c;
}

// [group][block][depth][kBlock], the depth in the order of the input's layout.
std::vector<float> pack_blocks(const Convolution& c, std::span<const float> w) {
  const std::int64_t blocks = (c.group_out() + kBlock - 1) / kBlock, taps = c.spatial.kernel_size();
  std::vector<float> out(static_cast<std::size_t>(c.groups * blocks * kBlock * c.depth()));
  for (std::int64_t g = 0; g < c.groups; ++g) {
    for (std::int64_t o = 0; o < c.group_out(); ++o) {
      for (std::int64_t i = 0; i < c.group_in(); ++i) {
        for (std::int64_t t = 0; t < taps; ++t) {
          const std::int64_t k = c.spatial.channels_last ? t * c.group_in() + i : i * taps + t;
          const std::int64_t to = ((g * blocks + o / kBlock) * c.depth() + k) * kBlock + o % kBlock;
          const std::int64_t from = (g * c.group_out() + o) * c.filter.out + i * c.filter.in + t * c.filter.tap;
          out[static_cast<std::size_t>(to)] = w[static_cast<std::size_t>(from)];
        }
      }
    }
  }
  return out;
}

std::vector<float> pack_depthwise(const Convolution& c, std::span<const float> w) {
  const std::int64_t taps = c.spatial.kernel_size();
  std::vector<float> out(static_cast<std::size_t>(c.groups * taps));
  for (std::int64_t g = 0; g < c.groups; ++g)
    for (std::int64_t t = 0; t < taps; ++t)
      out[static_cast<std::size_t>(c.spatial.channels_last ? t * c.groups + g : g * taps + t)] =
          w[static_cast<std::size_t>(g * c.filter.out + t * c.filter.tap)];
  return out;
}

// One for each packed output channel, `packed` in a group; zeros where the node has none.
std::vector<float> pack_bias(const Convolution& c, const Value* bias, std::int64_t packed) {
  std::vector<float> out(static_cast<std::size_t>(c.groups * packed));
  if (!bias) return out;
  const std::vector<float> b = constant_elements<float>(*bias);
  for (std::int64_t o = 0; o < c.spatial.out_channels; ++o)
    out[static_cast<std::size_t>(o / c.group_out() * packed + o % c.group_out())] = b[static_cast<std::size_t>(o)];
  return out;
}

void add_geometry(Parameters& p, const Spatial& s) {
  p.add("in", s.in).add("out", s.out).add("kernel", s.kernel);
  p.add("stride", s.stride).add("dilation", s.dilation).add("pad", s.pad);
}

}  // namespace

Verdict accepts_conv_float(const Region& region, const Node& node, const TargetSpec&) {
  std::string why;
  const Value& w = region.values[node.inputs[1]];
  const Value* bias = given_input(region, node, 2);
  if (w.dtype != DType::f32) return refuse_dtype(w.dtype, "weights of f32");
  if (bias && bias->dtype != DType::f32) return refuse_dtype(bias->dtype, "a bias of f32");
  if (!w.is_constant) return refuse(Reason::not_constant, "found computed weights, expected a constant");
  if (bias && !bias->is_constant) return refuse(Reason::not_constant, "found a computed bias, expected a constant");
  const auto c = read(region, node, why);
  if (!c) return refuse(Reason::unsupported_attribute, why);
  if (w.elements() != c->spatial.out_channels * c->depth())
    return refuse(Reason::unsupported_shape, "found weights " + shape_text(w) + ", expected " +
                                                 std::to_string(c->spatial.out_channels * c->depth()) + " elements");
  if (bias && bias->elements() != c->spatial.out_channels)
    return refuse(Reason::unsupported_shape,
                  "found a bias " + shape_text(*bias) + ", expected [" + std::to_string(c->spatial.out_channels) + "]");
  if (!activation_bounds(node))
    return refuse(Reason::unsupported_attribute, "found activation " + node.text("activation", ""));
  if (!fits_int32(region, node)) return refuse(Reason::unsupported_shape, "a tensor of 2 GiB or more");
  return claim();
}

bool lower_conv_float(Emitter& emitter, const Node& node) {
  std::string why;
  const auto c = read(emitter.region, node, why);
  if (!c) return emitter.error(node, why);
  const Spatial& s = c->spatial;
  const bool depthwise = c->depthwise();
  const std::string layout = s.channels_last ? "nhwc" : "nchw";
  const std::vector<float> weights = constant_elements<float>(*emitter.input(node, 1));
  const std::int64_t packed = depthwise ? 1 : (c->group_out() + kBlock - 1) / kBlock * kBlock;

  codegen::Step step;
  const std::string name = stem(emitter, node);
  step.symbol = emitter.host().claim(name);
  const Clamped clamped = fuse_clamp(emitter, node);
  const std::string w = emitter.constant<float>(
      name + "_weights", depthwise ? pack_depthwise(*c, weights) : pack_blocks(*c, weights), true, 16);
  const std::string bias =
      emitter.constant<float>(name + "_bias", pack_bias(*c, emitter.input(node, 2), packed), true, 16);

  StepText text;
  Parameters p;
  std::string kernel;
  if (depthwise) {
    kernel = emitter.kernel({"depthwise_" + layout + "_f32.c", "byoc_depthwise_" + layout + "_f32", {}});
    text.includes = {"byoc_depthwise_f32.h"};
    p.add("batch", s.batch).add("channels", c->groups);
  } else {
    const bool wide = has_wide_vectors(emitter.target);
    kernel = emitter.kernel({wide ? "conv_f32_wide.c" : "conv_f32.c",
                             "byoc_conv_" + layout + "_f32" + (wide ? "_wide" : ""),
                             {{"BYOC_CHANNELS_LAST", s.channels_last ? "1" : "0"}}});
    text.includes = {"byoc_conv_f32.h"};
    p.add("batch", s.batch).add("groups", c->groups);
    p.add("in_channels", c->group_in()).add("out_channels", c->group_out());
    const std::int64_t pixels = wide ? 8 : 4;
    step.workspaces = {
        {.bytes = static_cast<std::uint64_t>(c->depth() * pixels) * sizeof(float), .align = 16, .pools = {}}};
  }
  add_geometry(p, s);
  p.add("bounds", c_bounds(clamped.bounds));
  text.prelude = p.definition(depthwise ? "byoc_depthwise_f32_t" : "byoc_conv_f32_t", step.symbol + "_params");
  text.body = "  " + kernel + "(&" + step.symbol + "_params, in0, " + w + ", " + bias + ", out0" +
              (depthwise ? "" : ", (float *)ws0") + ");\n";

  step.inputs = {{node.inputs[0]}};
  step.outputs = {{clamped.output}};
  step.nodes = clamped.nodes;
  step.macs = static_cast<std::uint64_t>(s.batch * s.out_size() * s.out_channels * c->depth());
  step.kernel = kernel;
  emitter.step(node, std::move(step), text);
  return true;
}

}  // namespace byoc::c
