// Operators that keep channels apart: each channel of the result is made of one channel of each operand.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::optimise {

struct ChannelWise {
  struct Operand {
    std::size_t input = 0;               // of the node
    std::size_t axis = 0;                // the dim of its channels
    std::vector<std::int64_t> channels;  // [channel of the result] the operand's channel; -1: it has no part in it
  };
  std::vector<Operand> operands;  // those that are computed
  std::size_t axis = 0;           // the dim of the result's channels
  // True if the result depends on the element of its operand alone, not on its position.
  bool is_unary = false;
};

// The dim of a value's channels, if it has such.
using AxisOf = std::function<std::optional<std::size_t>(ir::ValueId)>;

// Nullopt for other nodes and for unknown forms. All values are quantised activations. Unless it is unary, the result
// does not fall when an element of an operand rises (for Sub's second operand: when it falls).
[[nodiscard]] std::optional<ChannelWise> channel_wise(const ir::Graph& graph, const ir::Node& node,
                                                      const AxisOf& axis_of);

// For a reshape from `from`, whose dim `axis` holds the channels, to `to`: a dim of `to` along which each index belongs
// to one channel, and the channel of each index.
struct ReshapedChannels {
  std::size_t axis = 0;
  std::vector<std::int64_t> channels;
};
[[nodiscard]] std::optional<ReshapedChannels> reshape_channels(const std::vector<std::int64_t>& from, std::size_t axis,
                                                               const std::vector<std::int64_t>& to);

}  // namespace byoc::optimise
