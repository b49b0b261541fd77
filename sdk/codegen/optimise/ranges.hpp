// The ranges of the channels of quantised values, for any input of the model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sdk/codegen/optimise/layer.hpp"

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

// The ranges of each value's channels; nullopt if they are no narrower than the element type, or if the value has no
// channels: it is no quantised activation, or its producer mixes them.
using ValueRanges = std::vector<std::optional<ChannelRanges>>;
[[nodiscard]] ValueRanges find_ranges(const ir::Graph& graph);

// The dim of x whose channels a dense layer reads: that of its ranges, else the last one.
[[nodiscard]] std::size_t dense_axis(const ir::Graph& graph, const ValueRanges& ranges, const ir::Node& node);

}  // namespace byoc::optimise
