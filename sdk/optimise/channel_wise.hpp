// Operators that keep channels apart: each channel of the result is made of one channel of each operand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sdk/ir/graph.hpp"

namespace byoc::optimise {

struct ChannelWise {
  struct Operand {
    std::size_t input = 0;               // of the node
    std::size_t axis = 0;                // the dim of its channels
    std::vector<std::int64_t> channels;  // [channel of the result] the operand's channel; -1: it has no part in it
  };
  std::vector<Operand> operands;  // those that are computed
  std::size_t axis = 0;           // the dim of the result's channels
  // Whether the result does not depend on where an element is, but on the element of its operand alone.
  bool is_unary = false;
};

// The dim of a value's channels, if it has such.
using AxisOf = std::function<std::optional<std::size_t>(ir::ValueId)>;

// Nothing for nodes that are not like that, or whose form is not known. All values are quantised activations; the
// result does not fall where an element of an operand rises (of Sub's second operand: where it falls), unless it is
// unary.
[[nodiscard]] std::optional<ChannelWise> channel_wise(const ir::Graph& graph, const ir::Node& node,
                                                      const AxisOf& axis_of);

// For dims that are the same elements in row-major order as `from`, whose dim `axis` holds the channels: a dim of `to`
// along which each index belongs to one channel, and which one that is.
struct ReshapedChannels {
  std::size_t axis = 0;
  std::vector<std::int64_t> channels;
};
[[nodiscard]] std::optional<ReshapedChannels> reshape_channels(const std::vector<std::int64_t>& from, std::size_t axis,
                                                               const std::vector<std::int64_t>& to);

}  // namespace byoc::optimise
