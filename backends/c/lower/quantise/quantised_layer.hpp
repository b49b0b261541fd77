// A product of a quantised input with weights, wherever its scales come from: Conv, Gemm, MatMul and
// FullyConnected have them on their tensors, QLinearConv and QLinearMatMul as operands.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backends/c/lower/quantise/requantise.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

struct QuantisedLayer {
  codegen::Value in, weights, out;  // with the quantisation that they have in this layer; data is not copied
  const codegen::Value* bias = nullptr;
  codegen::ValueId input = codegen::kNoValue, output = codegen::kNoValue;  // of the step
  codegen::ValueId weights_id = codegen::kNoValue, bias_id = codegen::kNoValue;
  // 4-bit weights appear as i8 in `weights`, whose data are these.
  std::shared_ptr<const std::vector<std::byte>> unpacked = {};
  Scaling scaling = Scaling::tflite;
};

// Inputs x, weights, bias (may be left off) and output 0, as their values are quantised.
[[nodiscard]] QuantisedLayer lifted_layer(const codegen::Region&, const codegen::Node&);
// Inputs x, its scale and zero point, weights, theirs, the output's, bias. Weights with several scales have them on
// `axis`. Null, with the reason in `why`: see read_scale_operands.
[[nodiscard]] std::optional<QuantisedLayer> qlinear_layer(const codegen::Region&, const codegen::Node&,
                                                          std::size_t axis, codegen::Verdict& why);

// Refuses what is not quantised 8-bit, or of TFLite 8- or 16-bit, with one scale. `role` names it: "input".
[[nodiscard]] std::optional<codegen::Verdict> refuse_activation(const codegen::Region&, const codegen::Value&,
                                                                std::string_view role);
// Refuses what neither the i8 kernels nor the general ones compute. `axis`: of the weights' output channels.
[[nodiscard]] std::optional<codegen::Verdict> refuse_layer(const codegen::Region&, const QuantisedLayer&,
                                                           std::size_t axis, std::int64_t channels);
// True if input and output are i8 and weights and bias constant, the weights at most 8 bits without their zero points:
// the i8 kernels compute it. Otherwise the general ones do.
[[nodiscard]] bool is_s8_layer(const QuantisedLayer&, std::size_t axis);

// True if the general kernels compute it: not an is_s8_layer(), or one whose 4-bit weights stay packed for their size.
[[nodiscard]] bool is_general(const QuantisedLayer&, std::size_t axis, Objective);

// Weights as the general kernels have them: i8, u8 moved down by 128 together with its zero points. `zeros` is one for
// each of `channels`; empty where all are 0.
struct OffsetWeights {
  std::vector<std::int8_t> elements;
  std::vector<std::int8_t> zeros;
};
[[nodiscard]] OffsetWeights offset_weights(const codegen::Value& weights, std::int64_t channels);

}  // namespace byoc::c
