// A product of a quantised input with weights, wherever its scales come from: Conv, Gemm, MatMul and FullyConnected
// have them on their tensors, QLinearConv and QLinearMatMul as operands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/fixed_point.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/quantisation.hpp"
#include "byoc/nodes/scales.hpp"
#include "byoc/nodes/verdict.hpp"
#include "byoc/onnx.hpp"
#include "byoc/tflite.hpp"

namespace byoc::nodes {

// The requantisation of a sum: TFLite's Q31 multiplier with two roundings; a float product rounded half to even (ONNX's
// QLinear operators); the exact product rounded once, half to even (ONNX on quantised tensors); TFLite's multiplier of
// 16 bits on a 64-bit sum.
enum class Scaling { tflite, onnx, exact, wide };

struct QuantisedLayer {
  codegen::Value in, weights, out;  // with the quantisation that they have in this layer; data is not copied
  const codegen::Value* bias = nullptr;
  codegen::ValueId input = codegen::kNoValue, output = codegen::kNoValue;  // of the step
  codegen::ValueId weights_id = codegen::kNoValue, bias_id = codegen::kNoValue;
  // Constant weights of fewer than 8 bits appear as i8 or u8 in `weights`, whose data are these.
  std::shared_ptr<const std::vector<std::byte>> unpacked = {};
  unsigned weight_bits = 8;  // of the model's weights: fewer where they are unpacked
  Scaling scaling = Scaling::tflite;
};

namespace detail {

// TFLite sums products of 16-bit activations in 64 bits, but for a CONV_2D or a FULLY_CONNECTED whose bias has 32.
inline bool is_wide(const codegen::Node& node, const codegen::Value& x, const codegen::Value* bias) {
  if (x.dtype != DType::i16) return false;
  const bool conv_2d = node.op == "Conv" && node.text("filter_layout", "OIHW") != "IHWO";
  const bool follows_bias = conv_2d || node.op == "FullyConnected";
  return !follows_bias || !bias || bias->dtype != DType::i32;
}

// Elements lie 8 / bits to a byte, the first in its lowest bits.
inline void unpack(QuantisedLayer& layer) {
  const ElementKind kind = element_row(layer.weights.dtype).kind;
  const bool is_signed = kind == ElementKind::whole;
  const unsigned bits = bit_width(layer.weights.dtype);
  if ((!is_signed && kind != ElementKind::natural) || bits >= 8 || !layer.weights.is_constant) return;
  const int sign = is_signed ? 1 << (bits - 1) : 0;
  std::vector<std::byte> out(static_cast<std::size_t>(layer.weights.elements()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = std::to_integer<unsigned>(layer.weights.data[i * bits / 8]);
    const auto element = static_cast<int>(byte >> (i * bits % 8) & ((1U << bits) - 1));
    out[i] = static_cast<std::byte>((element ^ sign) - sign);
  }
  layer.unpacked = std::make_shared<const std::vector<std::byte>>(std::move(out));
  layer.weights.dtype = is_signed ? DType::i8 : DType::u8;
  layer.weights.data = *layer.unpacked;
  layer.weight_bits = bits;
}

inline float weight_scale(const codegen::Value& w, std::size_t channel) {
  const auto& scales = w.quantisation.scales;
  return scales.size() == 1 ? scales[0] : scales[channel];
}

// Scales whose products are rounded to float32, as the attribute scale_product may ask: the input's becomes 1.
inline void round_products(const codegen::Node& node, QuantisedLayer& layer) {
  std::vector<float>& in = layer.in.quantisation.scales;
  if (node.text("scale_product", "f64") != "f32" || in.size() != 1) return;
  for (float& s : layer.weights.quantisation.scales) s *= in[0];
  in[0] = 1;
}

// The largest |sum| of `channels` output channels: products of differences of 8-bit numbers, 2^31 where it could wrap.
inline std::int64_t largest_sum(const codegen::Value& weights, const codegen::Value* bias, std::int64_t channels) {
  const std::int64_t depth = weights.elements() / std::max<std::int64_t>(channels, 1);
  if (bias && !bias->is_constant) return std::int64_t{1} << 31;
  std::int64_t largest = 0;
  for (const std::int32_t b : bias_s32(bias, channels)) largest = std::max(largest, std::abs(std::int64_t{b}));
  return std::min(largest + depth * 255 * 255, std::int64_t{1} << 31);
}

}  // namespace detail

// Inputs x, weights, bias (may be left off) and output 0, as their values are quantised. Points into the region.
[[nodiscard]] inline QuantisedLayer lifted_layer(const codegen::Region& region, const codegen::Node& node) {
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
  else if (detail::is_wide(node, layer.in, layer.bias))
    layer.scaling = Scaling::wide;
  detail::unpack(layer);
  detail::round_products(node, layer);
  return layer;
}

// Inputs x, its scale and zero point, weights, theirs, the output's, bias. Weights with several scales have them on
// `axis`. Null, with the reason in `why`: see read_scale_operands. Points into the region.
[[nodiscard]] inline std::optional<QuantisedLayer> qlinear_layer(const codegen::Region& region,
                                                                 const codegen::Node& node, std::size_t axis,
                                                                 codegen::Verdict& why) {
  QuantisedLayer layer{region.values[node.inputs[0]],
                       region.values[node.inputs[3]],
                       region.values[node.outputs[0]],
                       given_input(region, node, 8),
                       node.inputs[0],
                       node.outputs[0],
                       node.inputs[3],
                       node.inputs.size() > 8 ? node.inputs[8] : codegen::kNoValue};
  layer.scaling = Scaling::onnx;
  const auto read = [&](codegen::Value& v, std::size_t scale) {
    const auto q = read_scale_operands(region, node, scale, static_cast<std::int64_t>(axis), v.dims.size(), why);
    if (q) v.quantisation = *q;
    return q.has_value();
  };
  if (!read(layer.in, 1) || !read(layer.weights, 4) || !read(layer.out, 6)) return std::nullopt;
  return layer;
}

// Refuses what is not quantised 8-bit, or of TFLite 8- or 16-bit, with one scale. `role` names it: "input".
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_activation(const codegen::Region& region,
                                                                       const codegen::Value& v, std::string_view role) {
  return region.requant == Requant::tflite ? refuse_unless_quantised(v, role) : refuse_unless_8bit(v, role);
}

// Refuses output multipliers that TFLite leaves undefined: a left shift of more than 30, of 64-bit sums more than 7.
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_scales(Scaling scaling, const codegen::Value& in,
                                                                   const codegen::Value& w, const codegen::Value& out) {
  if (scaling != Scaling::tflite && scaling != Scaling::wide) return std::nullopt;
  const std::int32_t most = scaling == Scaling::wide ? 7 : 30;
  for (std::size_t c = 0; c < w.quantisation.scales.size(); ++c) {
    const Multiplier m = tflite::sum_multiplier(affine(in), detail::weight_scale(w, c), affine(out));
    if (m.shift > most)
      return refuse(
          codegen::Reason::unsupported_quantisation,
          "found an output multiplier of 2^" + std::to_string(m.shift) + ", expected below 2^" + std::to_string(most));
  }
  return std::nullopt;
}

// Refuses types, scales, zero points and a bias that no product of integers has. `axis`: of the weights' output
// channels.
[[nodiscard]] inline std::optional<codegen::Verdict> refuse_layer(const codegen::Region& region,
                                                                  const QuantisedLayer& layer, std::size_t axis,
                                                                  std::int64_t channels) {
  if (auto no = refuse_activation(region, layer.in, "input")) return no;
  if (auto no = refuse_activation(region, layer.out, "output")) return no;
  if (auto no = refuse_weights(layer.weights, axis)) return no;
  if (auto no = refuse_bias(layer.bias, channels)) return no;
  return refuse_scales(layer.scaling, layer.in, layer.weights, layer.out);
}

// True if input and output are i8 and weights and bias constant, the weights at most 8 bits without their zero points:
// kernels of int8 that know no zero point of weights compute it.
[[nodiscard]] inline bool is_s8_layer(const QuantisedLayer& layer, std::size_t axis) {
  return layer.in.dtype == DType::i8 && layer.out.dtype == DType::i8 && (!layer.bias || layer.bias->is_constant) &&
         weights_fit_s8(layer.weights, axis);
}

// The factors of sums: one for each scale of the weights, so one for all channels or one for each.
struct SumFactors {
  std::vector<float> scales;            // Scaling::onnx
  std::vector<Multiplier> multipliers;  // the others
  std::vector<bool> ties = {};          // Scaling::exact: ExactMultiplier::ties
};
// The factors of a layer with the quantisation of these values; `channels`: of its output; `bias` may be null.
[[nodiscard]] inline SumFactors sum_factors(Scaling scaling, const codegen::Value& in, const codegen::Value& weights,
                                            const codegen::Value* bias, const codegen::Value& out,
                                            std::int64_t channels) {
  SumFactors f;
  const std::int64_t largest = scaling == Scaling::exact ? detail::largest_sum(weights, bias, channels) : 0;
  for (const float scale : weights.quantisation.scales) {
    if (scaling == Scaling::onnx) {
      f.scales.push_back(onnx::sum_scale(affine(in), scale, affine(out)));
    } else if (scaling == Scaling::exact) {
      const ExactMultiplier m = exact_multiplier(onnx::sum_scale(affine(in), scale, affine(out)), largest);
      f.multipliers.push_back(m.multiplier);
      f.ties.push_back(m.ties);
    } else {
      const double value = tflite::sum_scale(affine(in), scale, affine(out));
      f.multipliers.push_back(scaling == Scaling::wide ? wide_multiplier(value) : quantise_multiplier(value));
    }
  }
  return f;
}

// The bias with what the input's zero point adds to every sum taken off: for kernels that multiply the input as it is.
// `sums`: of the weights of each output channel. Modulo 2^32 like the sum.
[[nodiscard]] inline std::vector<std::int32_t> folded_bias(const codegen::Value* bias, std::int32_t in_zero,
                                                           std::span<const std::int64_t> sums) {
  std::vector<std::int32_t> out = bias_s32(bias, static_cast<std::int64_t>(sums.size()));
  for (std::size_t c = 0; c < sums.size(); ++c) out[c] = static_cast<std::int32_t>(out[c] - in_zero * sums[c]);
  return out;
}

// [channel] the sum of the weights of each of `channels` rows.
[[nodiscard]] inline std::vector<std::int64_t> row_sums(std::span<const std::int8_t> rows, std::int64_t channels) {
  const std::size_t depth = rows.size() / static_cast<std::size_t>(channels);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(channels));
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i / depth] += rows[i];
  return sums;
}

// Weights of i8 or u8 as i8, u8 moved down by 128 together with its zero points. `zeros` is one for each of `channels`;
// empty where all are 0.
struct OffsetWeights {
  std::vector<std::int8_t> elements;
  std::vector<std::int8_t> zeros;
};
[[nodiscard]] inline OffsetWeights offset_weights(const codegen::Value& weights, std::int64_t channels) {
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

}  // namespace byoc::nodes
