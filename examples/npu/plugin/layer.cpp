#include "layer.hpp"

#include <algorithm>
#include <byoc/nodes/activation.hpp>
#include <byoc/nodes/convolution.hpp>
#include <byoc/tflite.hpp>

namespace npu {
namespace {

using byoc::DType;
namespace nodes = byoc::nodes;
namespace tflite = byoc::tflite;

// Thrown inside this file alone, where a node turns out to be beyond the device.
struct No {
  Reason reason;
  std::string text;
};

template <class... Text>
void need(bool condition, Reason reason, const Text&... text) {
  if (condition) return;
  No no{reason, {}};
  (no.text.append(text), ...);
  throw no;
}

std::string number(std::int64_t n) { return std::to_string(n); }

// That a node has the operands, attributes and shapes that its operator asks for is the host's to check.
const Value& operand(const Region& region, const Node& node, std::size_t i) { return region.values[node.inputs[i]]; }

// An activation: int8, one scale.
void check_activation(const Value& v, const char* what) {
  need(v.dtype == DType::i8, Reason::unsupported_dtype, what, ": found ", to_string(v.dtype), ", expected i8");
  need(!v.is_constant, kConstantOperand, what, " is a constant, the device reads activations from RAM");
  const byoc::Quantisation& q = v.quantisation;
  need(q.scales.size() == 1 && q.zero_points.size() == 1 && !q.per_axis(), Reason::unsupported_quantisation, what,
       " is not quantised with one scale");
  need(std::isfinite(q.scales[0]) && q.scales[0] > 0 && q.zero_points[0] >= -128 && q.zero_points[0] <= 127,
       Reason::unsupported_quantisation, what, " has a scale or zero point outside of int8's");
}

void check_range(std::int64_t value, std::int64_t least, std::int64_t most, Reason reason, const char* what) {
  need(value >= least && value <= most, reason, what, ": found ", number(value), ", expected ", number(least), " to ",
       number(most));
}

View extents(ValueId id, std::int64_t height, std::int64_t width, std::int64_t channels, bool channels_first) {
  for (const std::int64_t n : {height, width, channels})
    check_range(n, 1, NPU_EXTENT_MOST, Reason::unsupported_shape, "extent of a feature map");
  check_range(height * width * channels, 1, NPU_MAP_MOST, Reason::memory, "elements of a feature map");
  return {id,
          static_cast<std::int32_t>(height),
          static_cast<std::int32_t>(width),
          static_cast<std::int32_t>(channels),
          channels_first,
          false};
}

View image(const Region& region, const Node& node, ValueId id) {
  const Value& v = region.values[id];
  need(v.dims.size() == 4 && v.dims[0] == 1, Reason::unsupported_shape, "found ", nodes::shape_text(v),
       ", expected one image of four dimensions");
  const nodes::Image m = *nodes::read_image(node, v);
  return extents(id, m.height, m.width, m.channels, node.text("data_layout", "NCHW") == "NCHW");
}

npu_window_t window(const std::optional<nodes::Window>& read) {
  need(read.has_value(), Reason::unsupported_attribute, "the window is none of two dimensions");
  const nodes::Window& w = *read;
  for (const std::int64_t k : {w.kernel_h, w.kernel_w})
    check_range(k, 1, NPU_KERNEL_MOST, Reason::unsupported_attribute, "window");
  for (const std::int64_t s : {w.stride_h, w.stride_w})
    check_range(s, 1, NPU_STEP_MOST, Reason::unsupported_attribute, "stride");
  for (const std::int64_t d : {w.dilation_h, w.dilation_w})
    check_range(d, 1, NPU_STEP_MOST, Reason::unsupported_attribute, "dilation");
  for (const std::int64_t p : {w.pad_top, w.pad_left})
    check_range(p, 0, NPU_PAD_MOST, Reason::unsupported_attribute, "padding");
  const auto n = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  return {n(w.kernel_h),   n(w.kernel_w),   n(w.stride_h), n(w.stride_w),
          n(w.dilation_h), n(w.dilation_w), n(w.pad_top),  n(w.pad_left)};
}

void read_activation(const Region& region, const Node& node, Layer& layer) {
  const auto clamp = nodes::activation_clamp(region, node, region.values[node.outputs[0]]);
  need(clamp.has_value(), Reason::unsupported_attribute, "no activation '", node.text("activation", ""), "'");
  layer.low = clamp->low;
  layer.high = clamp->high;
}

// A multiplier as the device has it.
npu_factor_t to_factor(const nodes::Multiplier& m) { return {m.q, m.shift}; }

void check_weights(const Value& w, std::size_t rank, std::size_t out_axis) {
  need(w.is_constant, Reason::not_constant, "the weights are not constant");
  need(w.dtype == DType::i8, Reason::unsupported_dtype, "weights: found ", to_string(w.dtype), ", expected i8");
  need(w.dims.size() == rank, Reason::unsupported_shape, "weights: found ", nodes::shape_text(w), ", expected ",
       number(static_cast<std::int64_t>(rank)), " dimensions");
  const byoc::Quantisation& q = w.quantisation;
  const std::size_t count = q.per_axis() ? static_cast<std::size_t>(w.dims[out_axis]) : 1;
  need(q.scales.size() == count && q.zero_points.size() == count &&
           (!q.per_axis() || static_cast<std::size_t>(q.axis) == out_axis),
       Reason::unsupported_quantisation, "the weights are not quantised per tensor or per output channel");
  need(std::all_of(q.zero_points.begin(), q.zero_points.end(), [](std::int64_t z) { return z == 0; }),
       Reason::unsupported_quantisation, "the weights have a zero point, the device knows 0 alone");
}

std::vector<std::int32_t> read_bias(const Region& region, const Node& node, std::int64_t channels) {
  const Value* b = nodes::given_input(region, node, 2);
  need(b == nullptr || b->is_constant, Reason::not_constant, "the bias is not constant");
  need(b == nullptr || b->dtype == DType::i32, Reason::unsupported_dtype, "bias: found ",
       b == nullptr ? "" : to_string(b->dtype), ", expected i32");
  return nodes::bias_s32(b, channels);
}

// The tables of each output channel, and whether the device's 32 bits are enough for what they may lead to.
void read_channels(const Region& region, const Node& node, std::int64_t channels, Layer& layer) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  const std::vector<float>& scales = region.values[node.inputs[1]].quantisation.scales;
  const std::vector<std::int32_t> bias = read_bias(region, node, channels);
  const std::size_t each = layer.weights.size() / bias.size();
  check_range(static_cast<std::int64_t>(each), 1, NPU_LINE_MOST, Reason::memory, "weights of one output channel");
  for (std::size_t c = 0; c < bias.size(); ++c) {
    const npu_factor_t factor =
        to_factor(tflite::sum_multiplier(nodes::affine(x), scales[scales.size() == 1 ? 0 : c], nodes::affine(y)));
    std::int64_t most = std::abs(std::int64_t{bias[c]});
    for (std::size_t i = 0; i < each; ++i) most += 255 * std::abs(std::int64_t{layer.weights[c * each + i]});
    need(factor.shift <= 31 && most * (std::int64_t{1} << std::max(factor.shift, 0)) <= INT32_MAX,
         Reason::unsupported_quantisation, "channel ", number(static_cast<std::int64_t>(c)),
         ": the sum could leave the device's 32 bits");
    layer.channels.push_back({bias[c], factor});
  }
}

Layer convolution(const Region& region, const Node& node) {
  Layer layer;
  const Value &x = operand(region, node, 0), &w = operand(region, node, 1), &y = region.values[node.outputs[0]];
  check_activation(x, "input");
  check_activation(y, "output");
  byoc::codegen::Verdict why;
  const auto c = nodes::read_convolution(region, node, x, w, y, why);
  need(c.has_value(), why.reason, why.text);
  check_weights(w, 4, c->filter.out_axis);
  layer.inputs = {image(region, node, node.inputs[0])};
  layer.output = image(region, node, node.outputs[0]);
  layer.window = window(c->window);
  layer.in_per_group = static_cast<std::int32_t>(c->group_in());
  layer.out_per_group = static_cast<std::int32_t>(c->group_out());
  layer.weights = nodes::filter_rows(*c, nodes::constant_elements<std::int8_t>(w));
  read_channels(region, node, c->out.channels, layer);
  layer.low = c->clamp.low;
  layer.high = c->clamp.high;
  layer.macs = c->macs();
  return layer;
}

// A convolution of one pixel over a column of rows.
Layer fully_connected(const Region& region, const Node& node) {
  Layer layer;
  const Value& x = operand(region, node, 0);
  const Value& y = region.values[node.outputs[0]];
  const Value& w = operand(region, node, 1);
  check_activation(x, "input");
  check_activation(y, "output");
  check_weights(w, 2, 0);
  const std::int64_t units = w.dims[0];
  const std::int64_t depth = w.dims[1];
  need(y.elements() > 0 && depth > 0, Reason::unsupported_shape, "found ", nodes::shape_text(x), ", which is empty");
  layer.inputs = {extents(node.inputs[0], x.elements() / depth, 1, depth, false)};
  layer.inputs[0].dense = x.dims.empty() || x.dims.back() != depth;
  layer.output = extents(node.outputs[0], x.elements() / depth, 1, units, false);
  layer.in_per_group = static_cast<std::int32_t>(depth);
  layer.out_per_group = static_cast<std::int32_t>(units);
  layer.weights = nodes::constant_elements<std::int8_t>(w);
  read_channels(region, node, units, layer);
  read_activation(region, node, layer);
  layer.macs = static_cast<std::uint64_t>(layer.output.height) * layer.weights.size();
  return layer;
}

Layer pool(const Region& region, const Node& node, Layer::Kind kind) {
  Layer layer;
  layer.kind = kind;
  const Value& x = operand(region, node, 0);
  const Value& y = region.values[node.outputs[0]];
  check_activation(x, "input");
  check_activation(y, "output");
  need(node.outputs.size() == 1 || node.outputs[1] == kNoValue, Reason::unsupported_attribute,
       "the places of the largest elements are asked for");
  need(x.quantisation == y.quantisation, Reason::unsupported_quantisation,
       "a pool of the device does not change the scale");
  need(node.integer("count_include_pad", 0) == 0, Reason::unsupported_attribute,
       "the device does not average over padding");
  layer.inputs = {image(region, node, node.inputs[0])};
  layer.output = image(region, node, node.outputs[0]);
  layer.window = window(nodes::read_window(node, node.integers("kernel_shape", {1, 1})));
  read_activation(region, node, layer);
  return layer;
}

Layer add(const Region& region, const Node& node) {
  Layer layer;
  layer.kind = Layer::Kind::add;
  const Value& y = region.values[node.outputs[0]];
  check_activation(y, "output");
  // Rows as they are stored; there is no geometry in a sum.
  const std::int64_t channels = y.dims.empty() ? 1 : y.dims.back();
  need(y.elements() > 0, Reason::unsupported_shape, "found ", nodes::shape_text(y), ", which is empty");
  std::int64_t height = y.elements() / channels;
  std::int64_t width = 1;
  for (std::int64_t w = 2; height > NPU_EXTENT_MOST && w <= NPU_EXTENT_MOST; ++w)
    if (height % w == 0) {
      height /= w;
      width *= w;
      w = 1;
    }
  const auto view = [&](ValueId id) { return extents(id, height, width, channels, false); };
  nodes::Affine scales[2];
  for (const std::size_t i : {0u, 1u}) {
    const Value& x = operand(region, node, i);
    check_activation(x, "input");
    need(x.dims == y.dims, Reason::unsupported_shape, "the device does not broadcast ", nodes::shape_text(x));
    layer.inputs.push_back(view(node.inputs[i]));
    scales[i] = nodes::affine(x);
  }
  layer.output = view(node.outputs[0]);
  const tflite::PairParameters p = tflite::add_parameters(scales[0], scales[1], nodes::affine(y));
  layer.factors = {to_factor(p.a), to_factor(p.b), to_factor(p.y)};
  // Each operand is below 2^27 then, their sum below 2^28.
  need(layer.factors[2].shift <= 2, Reason::unsupported_quantisation, "the sum could leave the device's 32 bits");
  read_activation(region, node, layer);
  return layer;
}

// Takes no time where it is: the same bytes under other dimensions.
Layer reshape(const Region& region, const Node& node) {
  Layer layer;
  layer.kind = Layer::Kind::reshape;
  check_activation(operand(region, node, 0), "input");
  need(region.values[node.outputs[0]].dtype == DType::i8, Reason::unsupported_dtype, "the output is not i8");
  layer.inputs = {{node.inputs[0], 1, 1, 1, false, true}};
  layer.output = {node.outputs[0], 1, 1, 1, false, true};
  return layer;
}

Layer read(const Region& region, const Node& node) {
  const std::string op = node.domain.empty() ? node.op : node.domain + "." + node.op;
  const bool known = op == "Conv" || op == "byoc.FullyConnected" || op == "AveragePool" || op == "MaxPool" ||
                     op == "Add" || op == "Reshape";
  need(known, Reason::unsupported_op, "the device has no ", op);
  need(region.requant == byoc::Requant::tflite, Reason::unsupported_quantisation,
       "the device rounds as TensorFlow Lite does, the model wants ONNX's rounding");
  if (op == "Conv") return convolution(region, node);
  if (op == "byoc.FullyConnected") return fully_connected(region, node);
  if (op == "AveragePool") return pool(region, node, Layer::Kind::average);
  if (op == "MaxPool") return pool(region, node, Layer::Kind::maximum);
  return op == "Add" ? add(region, node) : reshape(region, node);
}

}  // namespace

std::variant<Layer, Refusal> read_layer(const Region& region, const Node& node) {
  try {
    return read(region, node);
  } catch (const No& no) {
    return Refusal{no.reason, no.text};
  }
}

}  // namespace npu
