// Quantised Conv and FullyConnected from their parts, for the QDQ and the QLinear forms alike.
#pragma once

#include <optional>
#include <string_view>

#include "sdk/model/lift/weights.hpp"

namespace byoc::lift {

struct ProductParts {
  const ir::Node& like;  // name, position and, for Conv, attributes
  ir::ValueId x;         // integers, per tensor
  Quantisation x_quantisation;
  Weights weights;
  ir::ValueId bias;  // i32 constant, f32 constant, or dequantised; kNoValue: none
  ir::ValueId y;
  Quantisation y_quantisation;
  std::string_view activation = "none";
};

// `weights` are [O, I/group, spatial].
[[nodiscard]] std::optional<ir::Node> make_conv(Rewriter&, const ProductParts&);
// `weights` are [depth, units], or [units, depth] if `transposed`. byoc.FullyConnected computes Gemm and MatMul by
// constant weights: x * w^T + bias, with the leading dims of x kept.
[[nodiscard]] std::optional<ir::Node> make_fully_connected(Rewriter&, const ProductParts&, bool transposed);

}  // namespace byoc::lift
