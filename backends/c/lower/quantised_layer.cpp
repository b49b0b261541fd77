#include "backends/c/lower/quantised_layer.hpp"

#include <algorithm>

#include "backends/c/lower/operands.hpp"
#include "backends/c/lower/scale_operands.hpp"

namespace byoc::c {

using codegen::Node;
using codegen::Region;
using codegen::Value;
using codegen::Verdict;

QuantisedLayer lifted_layer(const Region& region, const Node& node) {
  return {region.values[node.inputs[0]],
          region.values[node.inputs[1]],
          region.values[node.outputs[0]],
          given_input(region, node, 2),
          node.inputs[0],
          node.outputs[0],
          region.requant == Requant::onnx ? Scaling::exact : Scaling::tflite};
}

std::optional<QuantisedLayer> qlinear_layer(const Region& region, const Node& node, std::size_t axis, Verdict& why) {
  QuantisedLayer layer{region.values[node.inputs[0]],
                       region.values[node.inputs[3]],
                       region.values[node.outputs[0]],
                       given_input(region, node, 8),
                       node.inputs[0],
                       node.outputs[0],
                       Scaling::onnx};
  const auto read = [&](Value& v, std::size_t scale) {
    const auto q = read_scale_operands(region, node, scale, static_cast<std::int64_t>(axis), v.dims.size(), why);
    if (q) v.quantisation = *q;
    return q.has_value();
  };
  if (!read(layer.in, 1) || !read(layer.weights, 4) || !read(layer.out, 6)) return std::nullopt;
  return layer;
}

std::optional<Verdict> refuse_layer(const Region& region, const QuantisedLayer& layer, std::size_t axis,
                                    std::int64_t channels) {
  if (auto no = refuse_unless_8bit(layer.in, "input")) return no;
  if (auto no = refuse_unless_8bit(layer.out, "output")) return no;
  if (auto no = refuse_weights(layer.weights, axis)) return no;
  if (auto no = refuse_bias(layer.bias, channels)) return no;
  return refuse_scales(region, layer.in, layer.weights, layer.out);
}

bool is_s8_layer(const QuantisedLayer& layer, std::size_t axis) {
  return layer.in.dtype == DType::i8 && layer.out.dtype == DType::i8 && weights_fit_s8(layer.weights, axis);
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
