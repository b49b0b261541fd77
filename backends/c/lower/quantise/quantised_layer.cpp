#include "backends/c/lower/quantise/quantised_layer.hpp"

#include <algorithm>

#include "backends/c/lower/quantise/scale_operands.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

namespace {

// TFLite sums products of 16-bit activations in 64 bits, but for a CONV_2D whose bias has 32.
bool is_wide(const Node& node, const Value& x, const Value* bias) {
  if (x.dtype != DType::i16) return false;
  const bool conv_2d = node.op == "Conv" && node.text("filter_layout", "OIHW") != "IHWO";
  return !conv_2d || !bias || bias->dtype != DType::i32;
}

void unpack(QuantisedLayer& layer) {
  if (layer.weights.dtype != DType::i4 || !layer.weights.is_constant) return;
  std::vector<std::byte> out(static_cast<std::size_t>(layer.weights.elements()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int nibble = static_cast<int>(layer.weights.data[i / 2] >> (i % 2 == 0 ? 0 : 4) & std::byte{15});
    out[i] = static_cast<std::byte>((nibble ^ 8) - 8);
  }
  layer.unpacked = std::make_shared<const std::vector<std::byte>>(std::move(out));
  layer.weights.dtype = DType::i8;
  layer.weights.data = *layer.unpacked;
}

}  // namespace

QuantisedLayer lifted_layer(const Region& region, const Node& node) {
  QuantisedLayer layer{region.values[node.inputs[0]],
                       region.values[node.inputs[1]],
                       region.values[node.outputs[0]],
                       given_input(region, node, 2),
                       node.inputs[0],
                       node.outputs[0],
                       node.inputs[1],
                       node.inputs.size() > 2 ? node.inputs[2] : codegen::kNoValue};
  if (region.requant == Requant::onnx)
    layer.scaling = Scaling::exact;
  else if (is_wide(node, layer.in, layer.bias))
    layer.scaling = Scaling::wide;
  unpack(layer);
  return layer;
}

std::optional<QuantisedLayer> qlinear_layer(const Region& region, const Node& node, std::size_t axis, Verdict& why) {
  QuantisedLayer layer{region.values[node.inputs[0]],
                       region.values[node.inputs[3]],
                       region.values[node.outputs[0]],
                       given_input(region, node, 8),
                       node.inputs[0],
                       node.outputs[0],
                       node.inputs[3],
                       node.inputs.size() > 8 ? node.inputs[8] : codegen::kNoValue};
  layer.scaling = Scaling::onnx;
  const auto read = [&](Value& v, std::size_t scale) {
    const auto q = read_scale_operands(region, node, scale, static_cast<std::int64_t>(axis), v.dims.size(), why);
    if (q) v.quantisation = *q;
    return q.has_value();
  };
  if (!read(layer.in, 1) || !read(layer.weights, 4) || !read(layer.out, 6)) return std::nullopt;
  return layer;
}

std::optional<Verdict> refuse_activation(const Region& region, const Value& v, std::string_view role) {
  return region.requant == Requant::tflite ? refuse_unless_quantised(v, role) : refuse_unless_8bit(v, role);
}

std::optional<Verdict> refuse_layer(const Region& region, const QuantisedLayer& layer, std::size_t axis,
                                    std::int64_t channels) {
  if (auto no = refuse_activation(region, layer.in, "input")) return no;
  if (auto no = refuse_activation(region, layer.out, "output")) return no;
  if (auto no = refuse_weights(layer.weights, axis)) return no;
  if (auto no = refuse_bias(layer.bias, channels)) return no;
  return refuse_scales(layer.scaling, layer.in, layer.weights, layer.out);
}

bool is_s8_layer(const QuantisedLayer& layer, std::size_t axis) {
  return layer.in.dtype == DType::i8 && layer.out.dtype == DType::i8 && (!layer.bias || layer.bias->is_constant) &&
         weights_fit_s8(layer.weights, axis);
}

bool is_general(const QuantisedLayer& layer, std::size_t axis, Objective objective) {
  return (layer.unpacked && objective == Objective::size) || !is_s8_layer(layer, axis);
}

OffsetWeights offset_weights(const Value& weights, std::int64_t channels) {
  const int offset = weights.dtype == DType::u8 ? 128 : 0;
  OffsetWeights out;
  out.elements.reserve(weights.data.size());
  for (const std::byte b : weights.data)
    out.elements.push_back(static_cast<std::int8_t>(static_cast<std::uint8_t>(b) ^ (offset ? 0x80U : 0U)));
  const auto& zeros = weights.quantisation.zero_points;
  const auto zero = [&](std::size_t c) { return (zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : c]) - offset; };
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
    out.zeros.push_back(static_cast<std::int8_t>(zero(c)));
  if (std::all_of(out.zeros.begin(), out.zeros.end(), [](std::int8_t z) { return z == 0; })) out.zeros.clear();
  return out;
}

}  // namespace byoc::c
