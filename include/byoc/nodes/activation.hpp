// Fused activations as bounds: those of the `activation` attribute, and those of a Relu or Clip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "byoc/codegen.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/quantisation.hpp"
#include "byoc/onnx.hpp"
#include "byoc/tflite.hpp"

namespace byoc::nodes {

// Real bounds of results, both among them.
struct Bounds {
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();

  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// The bounds of the node's `activation` attribute ("none", "relu", "relu6", "relu_n1_to_1"). Null for another name.
[[nodiscard]] inline std::optional<Bounds> activation_bounds(const codegen::Node& node) {
  const std::string name = node.text("activation", "none");
  if (name == "none") return Bounds{};
  if (name == "relu") return Bounds{.lo = 0.0f};
  if (name == "relu6") return Bounds{0.0f, 6.0f};
  if (name == "relu_n1_to_1") return Bounds{-1.0f, 1.0f};
  return std::nullopt;
}

// The bounds of a Clip node or a Relu on f32. Null for other nodes, and where the bounds are not constant.
[[nodiscard]] inline std::optional<Bounds> clamp_bounds(const codegen::Region& region, const codegen::Node& node) {
  if (!node.domain.empty() || region.values[node.outputs[0]].dtype != DType::f32) return std::nullopt;
  if (node.op == "Relu") return Bounds{.lo = 0.0f};
  if (node.op != "Clip") return std::nullopt;
  Bounds bounds;
  for (std::size_t i : {1u, 2u}) {
    if (i >= node.inputs.size() || node.inputs[i] == codegen::kNoValue) continue;
    const codegen::Value& v = region.values[node.inputs[i]];
    if (!v.is_constant || v.dtype != DType::f32 || v.elements() != 1) return std::nullopt;
    (i == 1 ? bounds.lo : bounds.hi) = constant_elements<float>(v)[0];
  }
  return bounds;
}

// The node's `activation` on the integers of `y`, which has one scale, within the range of its type and with the
// region's rounding: tflite::activation_range, onnx::activation_range. Null for another name.
[[nodiscard]] inline std::optional<Clamp> activation_clamp(const codegen::Region& region, const codegen::Node& node,
                                                           const codegen::Value& y) {
  const std::string activation = node.text("activation", "none");
  return region.requant == Requant::tflite ? tflite::activation_range(activation, affine(y), range_of(y))
                                           : onnx::activation_range(activation, affine(y), range_of(y));
}

}  // namespace byoc::nodes
