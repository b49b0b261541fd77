// Conv on floats, channels last: the image is framed where the window reaches over its edge, and turned where its
// channels are first.
#include <optional>

#include "backends/llvm/kernels/move.hpp"
#include "backends/llvm/kernels/product.hpp"
#include "backends/llvm/lower/conv_s8.hpp"
#include "backends/llvm/lower/conv_winograd.hpp"
#include "backends/llvm/lower/framing.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/products.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Arrangement;
using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Verdict;
using nodes::Spatial;
using nodes::SpatialConvolution;

std::uint64_t n(std::int64_t x) { return static_cast<std::uint64_t>(x); }

// Each result is of one channel.
bool is_depthwise(const SpatialConvolution& c) { return c.group_in() == 1 && c.group_out() == 1 && c.groups > 1; }

// [group][block][kernel_h][kernel_w][in][channels]
Arrangement weight_order(const SpatialConvolution& c, Real real, std::int64_t channels) {
  enum : std::uint32_t { group, out, in, tap_h, tap_w };
  const Spatial& s = c.spatial;
  Arrangement a{.element_size = static_cast<std::uint32_t>(size_of(real))};
  a.axes = {{n(c.groups), n(c.group_out() * c.w_out)},
            {n(c.group_out()), n(c.w_out)},
            {n(c.group_in()), n(c.w_in)},
            {n(s.kernel[1]), n(c.w_step[1])},
            {n(s.kernel[2]), n(c.w_step[2])}};
  a.loops = {{n(c.groups), group, 1},    {n((c.group_out() + channels - 1) / channels), out, n(channels)},
             {n(s.kernel[1]), tap_h, 1}, {n(s.kernel[2]), tap_w, 1},
             {n(c.group_in()), in, 1},   {n(channels), out, 1}};
  return a;
}

// [block][kernel_h][kernel_w][channels]
Arrangement depthwise_order(const SpatialConvolution& c, Real real, std::int64_t channels) {
  enum : std::uint32_t { channel, tap_h, tap_w };
  const Spatial& s = c.spatial;
  return {.element_size = static_cast<std::uint32_t>(size_of(real)),
          .axes = {{n(c.groups), n(c.w_out)}, {n(s.kernel[1]), n(c.w_step[1])}, {n(s.kernel[2]), n(c.w_step[2])}},
          .loops = {{n((c.groups + channels - 1) / channels), channel, n(channels)},
                    {n(s.kernel[1]), tap_h, 1},
                    {n(s.kernel[2]), tap_w, 1},
                    {n(channels), channel, 1}}};
}

Product product_of(const SpatialConvolution& c, const Framed& frame) {
  const Spatial& s = c.spatial;
  Product p{.images = s.batch, .groups = c.groups, .in = c.group_in(), .out = c.group_out()};
  p.rows = s.out[1], p.cols = s.out[2];
  p.kernel_h = s.kernel[1], p.kernel_w = s.kernel[2];
  p.stride_h = s.stride[1], p.stride_w = s.stride[2];
  p.dilation_h = s.dilation[1], p.dilation_w = s.dilation[2];
  const bool framed = needs_frame(frame);
  p.x_col = s.in_channels;
  p.x_row = (framed ? frame.cols : s.in[2]) * p.x_col;
  p.x_image = (framed ? frame.rows : s.in[1]) * p.x_row;
  p.y_col = s.out_channels;
  p.y_row = p.cols * p.y_col;
  p.y_image = p.rows * p.y_row;
  return p;
}

}  // namespace

Verdict accepts_conv(const Region& region, const Node& node) {
  if (region.values[node.inputs[0]].quantised()) return accepts_conv_s8(region, node);
  if (auto no = refuse_computed_filter(region, node)) return *no;
  std::string why;
  const auto c = nodes::read_spatial_convolution(region, node, 1, why);
  if (!c) return nodes::refuse(Reason::unsupported_attribute, why);
  if (auto no = refuse_spatial(region, node, c->spatial)) return *no;
  if (is_outside(frame_of(c->spatial)))
    return nodes::refuse(Reason::unsupported_shape, "found a window that never meets the image");
  return nodes::claim();
}

bool lower_conv(Emitter& emitter, const Node& node) {
  if (emitter.value(node.inputs[0]).quantised()) return lower_conv_s8(emitter, node);
  std::string why;
  const auto c = nodes::read_spatial_convolution(emitter.region, node, 1, why);
  if (!c) return emitter.error(node, why);
  // Transformed weights are f32: of those of 16 bits more than three times as many bytes.
  if (real_of(emitter.value(node.inputs[1])) == Real::f32 && winograd_pays(emitter, *c))
    return lower_winograd(emitter, node, *c);
  const bool depthwise = is_depthwise(*c), turned = c->spatial.channels_last;
  const Real real = real_of(emitter.value(node.inputs[0]));
  Framed frame = frame_of(c->spatial);
  frame.real = real;
  // BatchNormalization's input is rounded; here it is part of the sum.
  const Fused fused = emitter.fuse(node, {.may_scale = real == Real::f32, .may_add = turned && !depthwise});
  Product p = product_of(*c, frame);
  p.scales = !fused.scale.empty();
  p.adds = fused.added != codegen::kNoValue;
  p.bounds = fused.bounds;
  p.w = p.y = real;
  if (!depthwise && p.kernel_h == 1 && p.kernel_w == 1) p = flattened(p);

  const std::string stem = emitter.stem(node);
  codegen::Step step = fused_step(node, fused, c->macs());

  std::vector<Call> calls;
  const Argument x = framed_input(emitter, frame, step, calls);
  Argument y = output(0);
  const std::int64_t results = c->spatial.batch * c->spatial.out_size() * c->spatial.out_channels;
  if (!turned && c->spatial.out_size() > 1) y = scratch(step, results * size_of(real));

  const Tile tile = depthwise ? choose_depthwise_tile(emitter.machine, p) : choose_tile(emitter.machine, p);
  const std::int64_t pieces = depthwise ? depthwise_pieces_of(p, tile) : pieces_of(p, tile);
  p.by_range = emitter.is_shared(Emitter::Work::products, static_cast<std::int64_t>(c->macs()), pieces);
  const Arrangement order =
      depthwise ? depthwise_order(*c, real, tile.channels()) : weight_order(*c, real, tile.channels());
  const Argument w = constant(emitter.arranged(stem + "_weights", node.inputs[1], order));
  Call call{{}, {}, p.by_range ? pieces : 0};
  if (depthwise)
    call.kernel = emitter.modules().kernel("depthwise", key_of(p, tile), [&](Code& code, const std::string& symbol) {
      write_depthwise(code, symbol, p, tile);
    });
  else
    call.kernel = product_kernel(emitter, "conv", p, tile);
  call.arguments = {x, w};
  const std::int64_t groups = depthwise ? 1 : c->groups;
  for (const Argument& a : channel_arguments(emitter, node, fused, groups, tile.channels()))
    call.arguments.push_back(a);
  if (p.adds) call.arguments.push_back(input(1));
  call.arguments.push_back(y);
  calls.push_back(std::move(call));
  step.kernel = calls.back().kernel;
  if (y.kind == Argument::Kind::workspace) {
    const std::int64_t count = c->spatial.batch, pixels = c->spatial.out_size(), channels = c->spatial.out_channels;
    calls.push_back({transpose_kernel(emitter, size_of(real), count, pixels, channels), {y, output(0)}});
  }
  emitter.step(node, std::move(step), calls);
  return true;
}

}  // namespace byoc::bitcode
