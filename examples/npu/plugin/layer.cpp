#include "layer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fixed_point.hpp"

namespace npu {
namespace {

using byoc::DType;

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

std::string dims_text(const Value& v) {
  std::string out = "[";
  for (const std::int64_t d : v.dims) out.append(out.size() > 1 ? "," : "").append(number(d));
  return out.append("]");
}

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
  need(v.dims.size() == 4 && v.dims[0] == 1, Reason::unsupported_shape, "found ", dims_text(v),
       ", expected one image of four dimensions");
  const bool channels_first = node.text("data_layout", "NCHW") == "NCHW";
  return channels_first ? extents(id, v.dims[2], v.dims[3], v.dims[1], true)
                        : extents(id, v.dims[1], v.dims[2], v.dims[3], false);
}

npu_window_t window(const Node& node, std::int64_t kernel_y, std::int64_t kernel_x) {
  const std::vector<std::int64_t> strides = node.integers("strides", {1, 1});
  const std::vector<std::int64_t> dilations = node.integers("dilations", {1, 1});
  const std::vector<std::int64_t> pads = node.integers("pads", {0, 0, 0, 0});
  for (const std::int64_t k : {kernel_y, kernel_x})
    check_range(k, 1, NPU_KERNEL_MOST, Reason::unsupported_attribute, "window");
  for (const std::int64_t s : strides) check_range(s, 1, NPU_STEP_MOST, Reason::unsupported_attribute, "stride");
  for (const std::int64_t d : dilations) check_range(d, 1, NPU_STEP_MOST, Reason::unsupported_attribute, "dilation");
  for (const std::size_t i : {0u, 1u}) check_range(pads[i], 0, NPU_PAD_MOST, Reason::unsupported_attribute, "padding");
  const auto n = [](std::int64_t v) { return static_cast<std::int32_t>(v); };
  return {n(kernel_y),     n(kernel_x),     n(strides[0]), n(strides[1]),
          n(dilations[0]), n(dilations[1]), n(pads[0]),    n(pads[1])};
}

void read_activation(const Region& region, const Node& node, Layer& layer) {
  const std::string name = node.text("activation", "none");
  const byoc::Quantisation& q = region.values[node.outputs[0]].quantisation;
  const auto bound = [&](float v) { return quantise(v, q.scales[0], q.zero_points[0]); };
  if (name == "none") return;
  layer.low = bound(name == "relu_n1_to_1" ? -1.0f : 0.0f);
  if (name != "relu") layer.high = bound(name == "relu6" ? 6.0f : 1.0f);
}

// Where element (out, y, x, in) of a filter is.
struct FilterLayout {
  std::size_t out, y, x, in;  // positions among its dimensions
};

FilterLayout filter_layout(const Node& node) {
  const std::string name = node.text("filter_layout", "OIHW");
  if (name == "OHWI") return {0, 1, 2, 3};
  if (name == "IHWO") return {3, 1, 2, 0};
  return {0, 2, 3, 1};
}

void check_weights(const Value& w, std::size_t rank, std::size_t out_axis) {
  need(w.is_constant, Reason::not_constant, "the weights are not constant");
  need(w.dtype == DType::i8, Reason::unsupported_dtype, "weights: found ", to_string(w.dtype), ", expected i8");
  need(w.dims.size() == rank, Reason::unsupported_shape, "weights: found ", dims_text(w), ", expected ",
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
  std::vector<std::int32_t> out(static_cast<std::size_t>(channels), 0);
  if (node.inputs.size() < 3 || node.inputs[2] == kNoValue) return out;
  const Value& b = region.values[node.inputs[2]];
  need(b.is_constant, Reason::not_constant, "the bias is not constant");
  need(b.dtype == DType::i32, Reason::unsupported_dtype, "bias: found ", to_string(b.dtype), ", expected i32");
  std::memcpy(out.data(), b.data.data(), out.size() * sizeof(std::int32_t));
  return out;
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
    const npu_factor_t factor = to_factor(static_cast<double>(x.quantisation.scales[0]) *
                                          static_cast<double>(scales[scales.size() == 1 ? 0 : c]) /
                                          static_cast<double>(y.quantisation.scales[0]));
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
  check_activation(operand(region, node, 0), "input");
  check_activation(region.values[node.outputs[0]], "output");
  const Value& w = operand(region, node, 1);
  const FilterLayout at = filter_layout(node);
  check_weights(w, 4, at.out);
  layer.inputs = {image(region, node, node.inputs[0])};
  layer.output = image(region, node, node.outputs[0]);
  layer.window = window(node, w.dims[at.y], w.dims[at.x]);
  const std::int64_t groups = node.integer("group", 1);
  layer.in_per_group = static_cast<std::int32_t>(w.dims[at.in]);
  layer.out_per_group = static_cast<std::int32_t>(w.dims[at.out] / groups);
  std::int64_t strides[4];
  for (std::int64_t d = 3, stride = 1; d >= 0; stride *= w.dims[static_cast<std::size_t>(d--)]) strides[d] = stride;
  const auto* data = reinterpret_cast<const std::int8_t*>(w.data.data());
  layer.weights.reserve(w.data.size());
  for (std::int64_t o = 0; o < w.dims[at.out]; ++o)
    for (std::int64_t y = 0; y < w.dims[at.y]; ++y)
      for (std::int64_t x = 0; x < w.dims[at.x]; ++x)
        for (std::int64_t i = 0; i < w.dims[at.in]; ++i)
          layer.weights.push_back(
              data[o * strides[at.out] + y * strides[at.y] + x * strides[at.x] + i * strides[at.in]]);
  read_channels(region, node, w.dims[at.out], layer);
  read_activation(region, node, layer);
  const auto pixels = static_cast<std::uint64_t>(layer.output.height) * static_cast<std::uint64_t>(layer.output.width);
  layer.macs = pixels * layer.weights.size();
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
  need(y.elements() > 0 && depth > 0, Reason::unsupported_shape, "found ", dims_text(x), ", which is empty");
  layer.inputs = {extents(node.inputs[0], x.elements() / depth, 1, depth, false)};
  layer.inputs[0].dense = x.dims.empty() || x.dims.back() != depth;
  layer.output = extents(node.outputs[0], x.elements() / depth, 1, units, false);
  layer.in_per_group = static_cast<std::int32_t>(depth);
  layer.out_per_group = static_cast<std::int32_t>(units);
  const auto* data = reinterpret_cast<const std::int8_t*>(w.data.data());
  layer.weights.assign(data, data + w.data.size());
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
  const std::vector<std::int64_t> kernel = node.integers("kernel_shape", {1, 1});
  layer.window = window(node, kernel[0], kernel[1]);
  read_activation(region, node, layer);
  return layer;
}

Layer add(const Region& region, const Node& node) {
  constexpr int kHeadroom = 20;
  Layer layer;
  layer.kind = Layer::Kind::add;
  const Value& y = region.values[node.outputs[0]];
  check_activation(y, "output");
  // Rows as they are stored; there is no geometry in a sum.
  const std::int64_t channels = y.dims.empty() ? 1 : y.dims.back();
  need(y.elements() > 0, Reason::unsupported_shape, "found ", dims_text(y), ", which is empty");
  std::int64_t height = y.elements() / channels;
  std::int64_t width = 1;
  for (std::int64_t w = 2; height > NPU_EXTENT_MOST && w <= NPU_EXTENT_MOST; ++w)
    if (height % w == 0) {
      height /= w;
      width *= w;
      w = 1;
    }
  const auto view = [&](ValueId id) { return extents(id, height, width, channels, false); };
  double scales[2];
  for (const std::size_t i : {0u, 1u}) {
    const Value& x = operand(region, node, i);
    check_activation(x, "input");
    need(x.dims == y.dims, Reason::unsupported_shape, "the device does not broadcast ", dims_text(x));
    layer.inputs.push_back(view(node.inputs[i]));
    scales[i] = static_cast<double>(x.quantisation.scales[0]);
  }
  layer.output = view(node.outputs[0]);
  const double twice = 2 * std::max(scales[0], scales[1]);
  layer.factors = {to_factor(scales[0] / twice), to_factor(scales[1] / twice),
                   to_factor(twice / (std::ldexp(1.0, kHeadroom) * static_cast<double>(y.quantisation.scales[0])))};
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
