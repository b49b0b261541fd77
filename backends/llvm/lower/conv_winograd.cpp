#include "backends/llvm/lower/conv_winograd.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/llvm/kernels/product.hpp"
#include "backends/llvm/kernels/winograd.hpp"
#include "backends/llvm/lower/framing.hpp"
#include "backends/llvm/lower/products.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using nodes::Spatial;
using nodes::SpatialConvolution;

// Rows of tiles that are transformed, multiplied and transformed back at a time: what is between stays in the cache.
constexpr std::int64_t kBetween = std::int64_t{128} * 1024;  // floats
constexpr std::uint32_t kLineAlign = 64;                     // bytes: a line of the cache
// Threads that work at a layer at a time, at most: each has a place of its own for what is between.
constexpr std::int64_t kPlaces = 8;

// The number of bands of an image: rows of tiles are spread over them as evenly as possible.
std::int64_t bands_of(const Winograd& w, bool threads) {
  // Weights are read once for each band: no more of them than of what is between.
  const std::int64_t row = w.tile_cols() * (w.x_tile() + w.y_tile());
  const std::int64_t most = std::max<std::int64_t>(1, std::max(kBetween, kWinogradPlaces * w.in * w.out) / row);
  std::int64_t bands = (w.tile_rows() + most - 1) / most;
  if (threads) bands += bands % 2;  // two cores have as many each
  return std::min(bands, w.tile_rows());
}

// [place][block][in][channels of a tile], with the factors of the channels in it.
std::vector<std::byte> transformed(const SpatialConvolution& c, std::span<const float> weights,
                                   const std::vector<float>& scale, std::int64_t channels) {
  const auto in = static_cast<std::size_t>(c.group_in()), out = static_cast<std::size_t>(c.group_out());
  const auto block = static_cast<std::size_t>(channels), blocks = (out + block - 1) / block;
  std::vector<std::byte> bytes(kWinogradPlaces * blocks * in * block * sizeof(float));
  const auto window_of = [&](std::size_t o, std::size_t i) {
    const float* from = &weights[o * static_cast<std::size_t>(c.w_out) + i * static_cast<std::size_t>(c.w_in)];
    std::array<float, 9> window;
    for (std::size_t tap = 0; tap < 9; ++tap)
      window[tap] =
          from[tap / 3 * static_cast<std::size_t>(c.w_step[1]) + tap % 3 * static_cast<std::size_t>(c.w_step[2])] *
          (scale.empty() ? 1.0F : scale[o]);
    return window;
  };
  // The order of the weights is that in which each place has them.
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t i = 0; i < in; ++i)
      for (std::size_t o = b * block; o < std::min(out, (b + 1) * block); ++o) {
        const auto places = winograd_weights(window_of(o, i));
        for (std::size_t p = 0; p < places.size(); ++p)
          std::memcpy(&bytes[(((p * blocks + b) * in + i) * block + o % block) * sizeof(float)], &places[p],
                      sizeof(float));
      }
  return bytes;
}

// The bias is added where it goes into each of the four results once: at place (1, 1).
std::vector<float> bias_of(const Emitter& emitter, const Node& node, const Fused& fused, std::int64_t out,
                           std::int64_t channels) {
  constexpr std::int64_t kPlace = 5;
  const std::int64_t each = (out + channels - 1) / channels * channels;
  std::vector<float> all(static_cast<std::size_t>(kWinogradPlaces * each), 0.0F), given;
  if (const codegen::Value* bias = emitter.given(node, 2)) given = nodes::constant_elements<float>(*bias);
  for (std::int64_t o = 0; o < out; ++o) {
    const auto at = static_cast<std::size_t>(o);
    float& b = all[static_cast<std::size_t>(kPlace * each + o)];
    if (!given.empty()) b = given[at];
    if (!fused.scale.empty()) b = b * fused.scale[at] + fused.shift[at];
  }
  return all;
}

// The product between the transforms: places are groups, tiles pixels of one row.
Product winograd_product(const Winograd& w) {
  Product p{.groups = kWinogradPlaces, .in = w.in, .out = w.out};
  p.cols = w.tiles();
  p.x_col = w.x_tile();
  p.y_col = w.y_tile();
  return p;
}

// The bands of an image: first those of one more row of tiles, the last of them perhaps without its last row.
std::vector<WinogradBands::Group> groups_of(const Winograd& image, std::int64_t bands) {
  std::vector<WinogradBands::Group> out;
  const auto add = [&](std::int64_t count, std::int64_t rows) {
    if (count == 0) return;
    out.push_back({.count = count, .band = image, .in = {}, .product = {}, .out = {}});
    out.back().band.rows = rows;
  };
  const std::int64_t each = image.tile_rows() / bands, more = image.tile_rows() % bands, last = image.rows % 2;
  add(more, 2 * (each + 1));
  add(bands - more - last, 2 * each);
  add(last, 2 * each - 1);
  return out;
}

void name_kernels(Emitter& emitter, const Tile& tile, WinogradBands::Group& group) {
  const Winograd& w = group.band;
  Modules& modules = emitter.modules();
  group.in = modules.kernel("winograd_in", input_key(w),
                            [&](Code& c, const std::string& symbol) { write_winograd_input(c, symbol, w); });
  group.product = product_kernel(emitter, "conv", winograd_product(w), tile);
  group.out = modules.kernel("winograd_out", output_key(w),
                             [&](Code& c, const std::string& symbol) { write_winograd_output(c, symbol, w); });
}

}  // namespace

bool winograd_pays(const Emitter& emitter, const SpatialConvolution& c) {
  const Spatial& s = c.spatial;
  const auto is = [](const nodes::Dims3& dims, std::int64_t n) { return dims[1] == n && dims[2] == n; };
  constexpr std::int64_t kPixels = 144, kChannels = 32;
  if (!emitter.options.winograd || emitter.request.objective == Objective::size) return false;
  if (!emitter.request.target.hosted || emitter.machine.lanes == 1) return false;
  if (!is(s.kernel, 3) || !is(s.stride, 1) || !is(s.dilation, 1) || c.groups != 1 || !s.channels_last) return false;
  return c.group_in() >= kChannels && c.group_out() >= kChannels && s.out[1] * s.out[2] >= kPixels;
}

bool lower_winograd(Emitter& emitter, const Node& node, const SpatialConvolution& c) {
  const Spatial& s = c.spatial;
  const Fused fused = emitter.fuse(node, {.may_scale = true, .may_add = true});
  Winograd w{.in = c.group_in(), .out = c.group_out(), .rows = s.out[1], .cols = s.out[2]};
  Framed frame = frame_of(s);
  frame.rows = 2 * w.tile_rows() + 2;
  frame.cols = 2 * w.tile_cols() + 2;
  const bool framed = needs_frame(frame);
  w.x_row = (framed ? frame.cols : s.in[2]) * w.in;
  w.y_row = s.out[2] * w.out;
  w.adds = fused.added != codegen::kNoValue;
  w.bounds = fused.bounds;

  codegen::Step step = fused_step(node, fused, c.macs());
  step.remark = "Winograd's F(2x2, 3x3)";
  std::vector<Call> calls;
  const Argument x = framed_input(emitter, frame, step, calls, kLineAlign);
  const std::int64_t bands = bands_of(w, emitter.options.threads);
  WinogradBands all{.groups = groups_of(w, bands),
                    .images = s.batch,
                    .x_image = (framed ? frame.rows : s.in[1]) * w.x_row,
                    .y_image = s.out[1] * w.y_row};
  const Winograd& largest = all.groups.front().band;
  const Tile tile = choose_tile(emitter.machine, winograd_product(largest));
  for (WinogradBands::Group& group : all.groups) name_kernels(emitter, tile, group);
  all.before = largest.tiles() * w.x_tile();
  all.between = all.before + largest.tiles() * w.y_tile();
  const std::int64_t pieces = split_of(all).pieces;
  all.by_range = emitter.is_shared(Emitter::Work::products, static_cast<std::int64_t>(step.macs), pieces);
  if (all.by_range) all.places = std::min(kPlaces, pieces);

  const std::string stem = emitter.stem(node);
  Call call{.arguments = {x}};
  call.arguments.push_back(constant(emitter.elements_owned(
      stem + "_weights", DType::f32,
      transformed(c, nodes::constant_elements<float>(emitter.value(node.inputs[1])), fused.scale, tile.channels()))));
  call.arguments.push_back(
      constant(emitter.floats(stem + "_bias", bias_of(emitter, node, fused, w.out, tile.channels()))));
  if (w.adds) call.arguments.push_back(input(1));
  call.arguments.push_back(output(0));
  call.arguments.push_back(scratch(step, all.places * all.between * size_of(Real::f32), kLineAlign));
  if (all.by_range) {
    const Argument taken = scratch(step, size_of(Real::f32), kLineAlign);
    calls.push_back({emitter.modules().kernel("winograd_begin", "", write_no_place_taken), {taken}});
    call.arguments.push_back(taken);
    call.pieces = pieces;
  }
  call.kernel = emitter.modules().kernel(
      "winograd", key_of(all), [&](Code& code, const std::string& symbol) { write_winograd_bands(code, symbol, all); });
  calls.push_back(std::move(call));
  step.kernel = "winograd";
  emitter.step(node, std::move(step), calls);
  return true;
}

}  // namespace byoc::bitcode
