// What the channels of quantised values can be, whatever the model is given.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sdk/optimise/layer.hpp"

namespace byoc::optimise {

// Stored integers, both ends included.
struct Range {
  std::int64_t low = 0, high = 0;
  [[nodiscard]] bool is_one() const { return low == high; }
};

struct ChannelRanges {
  std::size_t axis = 0;         // the dim of the channels
  std::vector<Range> channels;  // as many as that dim is long
};

// For each value what is known of its channels; nothing where that is no more than the element type, or where the value
// has no channels: it is no quantised activation, or its producer mixes them.
using ValueRanges = std::vector<std::optional<ChannelRanges>>;
[[nodiscard]] ValueRanges find_ranges(const ir::Graph& graph);

// The dim of x whose channels a dense layer reads: that of its ranges, else the last one.
[[nodiscard]] std::size_t dense_axis(const ir::Graph& graph, const ValueRanges& ranges, const ir::Node& node);

}  // namespace byoc::optimise
