// ConvTranspose on floats. Outputs that are a stride apart meet the same taps, of inputs that are neighbours: of each
// such phase it is a convolution without strides, whose results are a stride apart.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "backends/llvm/kernels/move.hpp"
#include "backends/llvm/kernels/product.hpp"
#include "backends/llvm/lower/framing.hpp"
#include "backends/llvm/lower/lowerings.hpp"
#include "backends/llvm/lower/products.hpp"
#include "backends/llvm/lower/reals.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Verdict;
using nodes::Spatial;
using nodes::SpatialConvolution;

constexpr std::int64_t kMostPhases = 64;

// Outputs `first`, first + stride ... of one dim, `count` of them: output j of them reads the inputs start + j, start +
// j
// + back ... by the taps tap, tap - tap_step ...
struct Phase {
  std::int64_t first, count, start, tap, taps;
};
struct Phases {
  std::vector<Phase> all;
  std::int64_t back, tap_step;
};

// Empty where no tap meets some outputs.
Phases phases_of(const Spatial& s, std::size_t dim) {
  const std::int64_t stride = s.stride[dim], dilation = s.dilation[dim], common = std::gcd(stride, dilation);
  Phases out{{}, dilation / common, stride / common};
  for (std::int64_t first = 0; first < std::min(stride, s.out[dim]); ++first) {
    std::int64_t tap = 0;
    while (tap < s.kernel[dim] && (first + s.pad[dim] - tap * dilation) % stride != 0) ++tap;
    if (tap >= s.kernel[dim]) return {};
    const std::int64_t more = (s.kernel[dim] - 1 - tap) / out.tap_step;
    out.all.push_back({first, (s.out[dim] - 1 - first) / stride + 1,
                       (first + s.pad[dim] - tap * dilation) / stride - more * out.back, tap + more * out.tap_step,
                       more + 1});
  }
  return out;
}

// The input of all phases: the image with zeros around it.
Framed frame_of(const Spatial& s, const Phases& rows, const Phases& cols) {
  Framed f{.images = s.batch, .channels = s.in_channels, .in_rows = s.in[1], .in_cols = s.in[2]};
  f.channels_last = s.channels_last;
  const auto reach = [](const Phases& phases, std::int64_t& before, std::int64_t& length) {
    std::int64_t end = 1;
    for (const Phase& p : phases.all) {
      before = std::max(before, -p.start);
      end = std::max(end, p.start + p.count + (p.taps - 1) * phases.back);
    }
    length = before + end;
  };
  reach(rows, f.top, f.rows);
  reach(cols, f.left, f.cols);
  return f;
}

// [group][block][taps][taps][in][channels of a tile]
std::vector<std::byte> packed_weights(const SpatialConvolution& c, const codegen::Value& w, const Phase& row,
                                      const Phase& col, std::int64_t row_step, std::int64_t col_step,
                                      std::int64_t channels) {
  const auto size = static_cast<std::size_t>(size_of(real_of(w)));
  const std::int64_t blocks = (c.group_out() + channels - 1) / channels;
  std::vector<std::byte> out(
      static_cast<std::size_t>(c.groups * blocks * row.taps * col.taps * c.group_in() * channels) * size);
  std::byte* to = out.data();
  for (std::int64_t g = 0; g < c.groups; ++g)
    for (std::int64_t block = 0; block < blocks; ++block)
      for (std::int64_t ky = 0; ky < row.taps; ++ky)
        for (std::int64_t kx = 0; kx < col.taps; ++kx)
          for (std::int64_t i = 0; i < c.group_in(); ++i)
            for (std::int64_t o = block * channels; o < (block + 1) * channels; ++o, to += size) {
              if (o >= c.group_out()) continue;
              const std::int64_t from = o * c.w_out + (g * c.group_in() + i) * c.w_in +
                                        (row.tap - ky * row_step) * c.w_step[1] +
                                        (col.tap - kx * col_step) * c.w_step[2];
              std::memcpy(to, &w.data[static_cast<std::size_t>(from) * size], size);
            }
  return out;
}

}  // namespace

Verdict accepts_conv_transpose(const Region& region, const Node& node) {
  if (auto no = refuse_computed_filter(region, node)) return *no;
  std::string why;
  const auto c = nodes::read_transposed_convolution(region, node, why);
  if (!c) return nodes::refuse(Reason::unsupported_attribute, why);
  if (auto no = refuse_spatial(region, node, c->spatial)) return *no;
  if (c->groups > 1 && c->group_in() == 1)
    return nodes::refuse(Reason::unsupported_shape, "found groups of one channel, expected more");
  // Checked before any phase is made, because there may be as many as outputs.
  const auto count = [&](std::size_t dim) { return std::min(c->spatial.stride[dim], c->spatial.out[dim]); };
  if (count(1) > kMostPhases || count(2) > kMostPhases || count(1) * count(2) > kMostPhases)
    return nodes::refuse(Reason::unsupported_attribute, "found strides with a product above 64");
  const Phases rows = phases_of(c->spatial, 1), cols = phases_of(c->spatial, 2);
  if (rows.all.empty() || cols.all.empty())
    return nodes::refuse(Reason::unsupported_attribute,
                         "found strides of which the filter does not reach every output");
  if (is_outside(frame_of(c->spatial, rows, cols)))
    return nodes::refuse(Reason::unsupported_shape, "found a window that never meets the image");
  return nodes::claim();
}

bool lower_conv_transpose(Emitter& emitter, const Node& node) {
  std::string why;
  const auto c = nodes::read_transposed_convolution(emitter.region, node, why);
  if (!c) return emitter.error(node, why);
  const Spatial& s = c->spatial;
  const Real real = real_of(emitter.value(node.inputs[0]));
  const bool turned = s.channels_last;
  const Phases rows = phases_of(s, 1), cols = phases_of(s, 2);
  Framed frame = frame_of(s, rows, cols);
  frame.real = real;
  // BatchNormalization's input is rounded; here it is part of the sum.
  const Fused fused = emitter.fuse(node, {.may_scale = real == Real::f32, .may_add = turned});
  Product all{.images = s.batch, .groups = c->groups, .in = c->group_in(), .out = c->group_out()};
  all.dilation_h = rows.back, all.dilation_w = cols.back;
  const bool framed = needs_frame(frame);
  all.x_col = s.in_channels;
  all.x_row = (framed ? frame.cols : s.in[2]) * all.x_col;
  all.x_image = (framed ? frame.rows : s.in[1]) * all.x_row;
  all.y_col = s.stride[2] * s.out_channels;
  all.y_row = s.stride[1] * s.out[2] * s.out_channels;
  all.y_image = s.out[1] * s.out[2] * s.out_channels;
  all.scales = !fused.scale.empty();
  all.adds = fused.added != codegen::kNoValue;
  all.bounds = fused.bounds;
  all.w = all.y = real;

  const std::string stem = emitter.stem(node);
  codegen::Step step = fused_step(node, fused, c->transposed_macs());

  std::vector<Call> calls;
  const Argument x = framed_input(emitter, frame, step, calls);
  Argument y = output(0);
  if (!turned && s.out_size() > 1) y = scratch(step, s.batch * all.y_image * size_of(real));

  const auto product_of = [&](const Phase& row, const Phase& col) {
    Product p = all;
    p.rows = row.count, p.cols = col.count;
    p.kernel_h = row.taps, p.kernel_w = col.taps;
    return p;
  };
  // One tile for all phases, so that they have the same blocks of channels.
  const Tile tile = choose_tile(emitter.machine, product_of(rows.all.front(), cols.all.front()));
  const std::vector<Argument> channels = channel_arguments(emitter, node, fused, c->groups, tile.channels());
  const codegen::Value& w = emitter.value(node.inputs[1]);
  for (const Phase& row : rows.all)
    for (const Phase& col : cols.all) {
      Product p = product_of(row, col);
      const std::int64_t pieces = pieces_of(p, tile);
      const std::int64_t work = p.images * p.rows * p.cols * p.groups * p.out * p.depth();
      p.by_range = emitter.is_shared(Emitter::Work::products, work, pieces);
      const auto from = [&](Argument a, std::int64_t elements, Real of) {
        a.bytes += elements * size_of(of);
        return a;
      };
      const std::int64_t to = (row.first * s.out[2] + col.first) * s.out_channels;
      Call call{product_kernel(emitter, "conv", p, tile), {}, p.by_range ? pieces : 0};
      call.arguments = {from(x, (row.start + frame.top) * p.x_row + (col.start + frame.left) * p.x_col, Real::f32),
                        constant(emitter.elements_owned(
                            stem + "_weights", w.dtype,
                            packed_weights(*c, w, row, col, rows.tap_step, cols.tap_step, tile.channels())))};
      call.arguments.insert(call.arguments.end(), channels.begin(), channels.end());
      if (p.adds) call.arguments.push_back(from(input(1), to, real));
      call.arguments.push_back(from(y, to, real));
      calls.push_back(std::move(call));
    }
  step.kernel = calls.back().kernel;
  if (y.kind == Argument::Kind::workspace)
    calls.push_back({transpose_kernel(emitter, size_of(real), s.batch, s.out_size(), s.out_channels), {y, output(0)}});
  emitter.step(node, std::move(step), calls);
  return true;
}

}  // namespace byoc::bitcode
