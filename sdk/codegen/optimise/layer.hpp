// A quantised convolution or dense layer with constant weights, seen as sums of products.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::optimise {

// Output channel o sums, over the input channels i of its group and all taps t, weight(o, i, t) * (x - zero point),
// plus bias. A dense layer's input channels are those of dim `x_axis` of what it reads; taps are the positions around
// it.
struct Layer {
  ir::ValueId x = ir::kNoValue, w = ir::kNoValue, bias = ir::kNoValue, y = ir::kNoValue;
  bool is_dense = false;
  std::size_t x_axis = 0, y_axis = 0, w_out_axis = 0, w_in_axis = 0;
  std::int64_t in_channels = 0, out_channels = 0, groups = 1;
  std::int64_t x_zero = 0;
  std::int64_t out_stride = 0, in_stride = 0;  // elements of w
  std::vector<std::int64_t> taps;              // offsets in w
  std::vector<bool> may_be_outside;            // [tap] whether it reads padding, which adds nothing, for some output
  std::vector<std::int32_t> weights;           // without their zero points

  [[nodiscard]] std::int64_t group_in() const { return in_channels / groups; }
  [[nodiscard]] std::int64_t group_out() const { return out_channels / groups; }
  [[nodiscard]] bool is_depthwise() const { return groups > 1 && groups == in_channels; }
  // `i` counts within the group of `o`.
  [[nodiscard]] std::int32_t weight(std::int64_t o, std::int64_t i, std::size_t tap) const {
    return weights[static_cast<std::size_t>(o * out_stride + i * in_stride + taps[tap])];
  }
};

// Nullopt for other nodes and for unknown forms. `dense_axis` is the dim of x with a dense layer's channels.
[[nodiscard]] std::optional<Layer> read_layer(const ir::Graph& graph, const ir::Node& node, std::size_t dense_axis);

// The dim of the channels of a spatial operator's values.
[[nodiscard]] std::size_t channel_axis(const ir::Node& node, std::size_t rank);

// Integers of at most 16 bits with one scale and zero point.
[[nodiscard]] bool is_activation(const ir::TensorType& type);

}  // namespace byoc::optimise
