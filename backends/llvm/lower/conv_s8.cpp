#include "backends/llvm/lower/conv_s8.hpp"

#include <optional>

#include "backends/llvm/kernels/product_s8.hpp"
#include "backends/llvm/lower/products.hpp"
#include "byoc/nodes/convolution.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::bitcode {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Verdict;
using nodes::Convolution;
using nodes::QuantisedLayer;
using nodes::Scaling;

bool has_channels_last(const nodes::Image& image) { return image.chan == 1 || image.channels == 1; }

FramedBytes frame_s8_of(const Convolution& c, const QuantisedLayer& layer, Unit unit, bool flipped) {
  const nodes::Window& w = c.window;
  FramedBytes f{.images = c.in.batch, .channels = c.in.channels, .in_rows = c.in.height, .in_cols = c.in.width};
  f.top = w.pad_top, f.left = w.pad_left;
  f.rows = (c.out.height - 1) * w.stride_h + (w.kernel_h - 1) * w.dilation_h + 1;
  f.cols = (c.out.width - 1) * w.stride_w + (w.kernel_w - 1) * w.dilation_w + 1;
  f.zero = static_cast<std::int8_t>(nodes::affine(layer.in).zero);
  f.unit = unit;
  f.flipped = flipped;
  f.channels_last = has_channels_last(c.in);
  return f;
}

// Each result is of one channel.
bool is_depthwise_s8(const Convolution& c) { return c.depthwise() && c.group_out() == 1; }

// [block][tap][channel]; zeros fill up blocks.
std::vector<std::int8_t> packed_depthwise(const Convolution& c, const std::vector<std::int8_t>& rows,
                                          std::int64_t tile) {
  const std::int64_t blocks = (c.groups + tile - 1) / tile;
  std::vector<std::int8_t> out(static_cast<std::size_t>(blocks * c.taps() * tile), 0);
  for (std::int64_t o = 0; o < c.groups; ++o)
    for (std::int64_t t = 0; t < c.taps(); ++t)
      out[static_cast<std::size_t>((o / tile * c.taps() + t) * tile + o % tile)] =
          rows[static_cast<std::size_t>(o * c.taps() + t)];
  return out;
}

ProductS8 product_s8_of(const Convolution& c, const QuantisedLayer& layer, const FramedBytes& f) {
  const nodes::Window& w = c.window;
  ProductS8 out;
  out.unit = f.unit;
  Product& p = out.units;
  p.images = c.in.batch, p.in = f.units(), p.out = c.out.channels;
  p.rows = c.out.height, p.cols = c.out.width;
  p.kernel_h = w.kernel_h, p.kernel_w = w.kernel_w, p.stride_h = w.stride_h, p.stride_w = w.stride_w;
  p.dilation_h = w.dilation_h, p.dilation_w = w.dilation_w;
  p.x_col = f.pixel();
  p.x_row = (f.is_there() ? f.in_cols : f.cols) * p.x_col;
  p.x_image = (f.is_there() ? f.in_rows : f.rows) * p.x_row;
  p.y_col = c.out.channels, p.y_row = p.cols * p.y_col, p.y_image = p.rows * p.y_row;
  out.exact = layer.scaling == Scaling::exact;
  out.low = c.clamp.low, out.high = c.clamp.high, out.zero = nodes::affine(layer.out).zero;
  if (is_depthwise_s8(c))
    p.groups = c.groups, p.in = p.out = 1;
  else if (p.kernel_h == 1 && p.kernel_w == 1)
    p = flattened(p);
  return out;
}

// [output channel][tap][input channel]
std::vector<std::int8_t> rows_of(const Convolution& c, const codegen::Value& weights) {
  const auto size = static_cast<std::int64_t>(weights.data.size());
  const std::int64_t inner = c.filter.out_axis == 0 ? size / c.out.channels : 1;
  return nodes::filter_rows(c, nodes::weights_s8(weights, [&](std::size_t i) {
                              return static_cast<std::int64_t>(i) / inner % c.out.channels;
                            }));
}

// [block][tap][unit][channel][byte]; zeros fill up units and blocks.
std::vector<std::int8_t> packed_weights_s8(const Convolution& c, const std::vector<std::int8_t>& rows,
                                           std::int64_t tile, std::int64_t unit) {
  const std::int64_t in = c.group_in(), units = (in + unit - 1) / unit, blocks = (c.out.channels + tile - 1) / tile;
  std::vector<std::int8_t> out(static_cast<std::size_t>(blocks * c.taps() * units * tile * unit), 0);
  for (std::int64_t o = 0; o < c.out.channels; ++o)
    for (std::int64_t t = 0; t < c.taps(); ++t)
      for (std::int64_t i = 0; i < in; ++i) {
        const std::int64_t to = ((o / tile * c.taps() + t) * units + i / unit) * tile + o % tile;
        out[static_cast<std::size_t>(to * unit + i % unit)] =
            rows[static_cast<std::size_t>((o * c.taps() + t) * in + i)];
      }
  return out;
}

// The arguments of Code::requantised: TFLite's two roundings in one 64-bit shift, as in byoc_multiply_q31 of the C
// backend, or one rounding to even of the exact product.
std::vector<std::int64_t> parameters_of(const QuantisedLayer& layer, std::int64_t channels, std::int64_t padded) {
  const nodes::SumFactors factors =
      nodes::sum_factors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, channels);
  std::vector<std::int64_t> out(static_cast<std::size_t>(kParameters * padded), 0);
  const auto set = [&](Parameter which, std::int64_t channel, std::int64_t value) {
    out[static_cast<std::size_t>(static_cast<std::int64_t>(which) * padded + channel)] = value;
  };
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::size_t at = factors.multipliers.size() == 1 ? 0 : static_cast<std::size_t>(c);
    const nodes::Multiplier m = factors.multipliers[at];
    set(Parameter::q, c, m.q);
    set(Parameter::ties, c, -1);
    if (layer.scaling == Scaling::exact) {
      const int right = 31 - m.shift;
      set(Parameter::add, c, std::int64_t{1} << (right - 1));
      set(Parameter::shift, c, right);
      if (factors.ties[at]) set(Parameter::ties, c, (std::int64_t{1} << right) - 1);
      continue;
    }
    const int right = -m.shift;
    const std::int64_t half = right > 0 ? std::int64_t{1} << (30 + right) : 0;
    set(Parameter::add, c, (std::int64_t{1} << 30) + half);
    set(Parameter::below, c, right > 0 ? std::int64_t{1} << 31 : 0);
    set(Parameter::shift, c, 31 + right);
  }
  return out;
}

bool shifts_left(const QuantisedLayer& layer) {
  if (layer.scaling == Scaling::exact) return false;
  for (const nodes::Multiplier& m :
       nodes::sum_factors(layer.scaling, layer.in, layer.weights, layer.bias, layer.out, 1).multipliers)
    if (m.shift > 0) return true;
  return false;
}

}  // namespace

Verdict accepts_conv_s8(const Region& region, const Node& node) {
  const QuantisedLayer layer = nodes::lifted_layer(region, node);
  Verdict why;
  const auto c = nodes::read_convolution(region, node, layer.in, layer.weights, layer.out, why);
  if (!c) return why;
  return accepts_layer_s8(region, layer, *c);
}

Verdict accepts_layer_s8(const Region& region, const QuantisedLayer& layer, const Convolution& c) {
  if (const auto no = nodes::refuse_layer(region, layer, c.filter.out_axis, c.out.channels)) return *no;
  if (!nodes::is_s8_layer(layer, c.filter.out_axis) || layer.weight_bits != 8)
    return nodes::refuse(Reason::unsupported_dtype, "found other types than i8, or computed weights");
  if (layer.scaling != Scaling::tflite && layer.scaling != Scaling::exact)
    return nodes::refuse(Reason::unsupported_quantisation, "found sums of 64 bits, expected 32");
  if (shifts_left(layer))
    return nodes::refuse(Reason::unsupported_quantisation, "found an output multiplier above 1, expected at most 1");
  if (c.groups != 1 && !is_depthwise_s8(c))
    return nodes::refuse(Reason::unsupported_attribute, "found groups of i8, expected one, or one for each channel");
  const FramedBytes f = frame_s8_of(c, layer, Unit::byte, false);
  if (f.top >= f.rows || f.left >= f.cols || layer.out.elements() == 0)
    return nodes::refuse(Reason::unsupported_shape, "found a window that never meets the image");
  return nodes::claim();
}

bool lower_conv_s8(Emitter& emitter, const Node& node) {
  const QuantisedLayer layer = nodes::lifted_layer(emitter.region, node);
  Verdict why;
  const auto c = nodes::read_convolution(emitter.region, node, layer.in, layer.weights, layer.out, why);
  if (!c) return emitter.error(node, why.text);
  return lower_layer_s8(emitter, node, layer, *c);
}

bool lower_layer_s8(Emitter& emitter, const Node& node, const QuantisedLayer& layer, const Convolution& c) {
  const bool depthwise = is_depthwise_s8(c);
  const Unit unit =
      depthwise ? Unit::byte : unit_for(emitter.machine, c.in.channels, c.out.batch * c.out.height * c.out.width);
  const bool flipped = unit == Unit::word && emitter.modules().steps().dot_is_unsigned();
  FramedBytes frame = frame_s8_of(c, layer, unit, flipped);
  ProductS8 p = product_s8_of(c, layer, frame);
  const Tile tile = depthwise ? choose_depthwise_tile(emitter.machine, p.units) : choose_tile(emitter.machine, p);
  const std::int64_t framed = frame.images * frame.rows * frame.cols * frame.pixel();
  frame.by_range = emitter.is_shared(Emitter::Work::elements, framed, frame.rows);
  const std::int64_t pieces = depthwise ? depthwise_pieces_of(p, tile) : pieces_of(p, tile);
  p.units.by_range = emitter.is_shared(Emitter::Work::products, static_cast<std::int64_t>(c.macs()), pieces);
  const std::int64_t channels = c.out.channels,
                     padded = (channels + tile.channels() - 1) / tile.channels() * tile.channels();
  const std::vector<std::int8_t> rows = rows_of(c, layer.weights);
  std::vector<std::int32_t> bias = nodes::folded_bias(layer.bias, nodes::affine(layer.in).zero + (flipped ? 128 : 0),
                                                      nodes::row_sums(rows, channels));
  bias.resize(static_cast<std::size_t>(padded), 0);
  const std::string stem = emitter.stem(node);
  const std::vector<std::int8_t> weights = depthwise ? packed_depthwise(c, rows, tile.channels())
                                                     : packed_weights_s8(c, rows, tile.channels(), bytes_of(unit));
  const std::vector<std::int64_t> parameters = parameters_of(layer, channels, padded);
  const Argument w = constant(emitter.elements(stem + "_weights", DType::i8, std::as_bytes(std::span(weights))));
  const Argument b = constant(emitter.elements(stem + "_bias", DType::i32, std::as_bytes(std::span(bias))));
  const Argument q = constant(emitter.elements(stem + "_scaling", DType::i64, std::as_bytes(std::span(parameters))));

  codegen::Step step;
  step.inputs = {{layer.input}};
  step.outputs = {{layer.output}};
  step.macs = c.macs();
  std::vector<Call> calls;
  Argument x = input(0), y = output(0);
  if (!frame.is_there()) {
    const std::string framing = emitter.modules().kernel(
        "frame_s8", key_of(frame), [&](Code& code, const std::string& symbol) { write_framed(code, symbol, frame); });
    const Argument to = scratch(step, framed);
    calls.push_back({framing, {x, to}, frame.by_range ? frame.rows : 0});
    x = to;
  }
  if (!has_channels_last(c.out)) y = scratch(step, layer.out.elements());
  step.kernel = emitter.modules().kernel(
      depthwise ? "depthwise_s8" : "conv_s8", key_of(p, tile), [&](Code& code, const std::string& symbol) {
        depthwise ? write_depthwise(code, symbol, p, tile) : write_product(code, symbol, p, tile);
      });
  calls.push_back({step.kernel, {x, w, b, q, y}, p.units.by_range ? pieces : 0});
  if (y.kind == Argument::Kind::workspace)
    calls.push_back({transpose_kernel(emitter, 1, c.out.batch, c.out.height * c.out.width, channels), {y, output(0)}});
  emitter.step(node, std::move(step), calls);
  return true;
}

}  // namespace byoc::bitcode
