// Constants that a BatchNormalization or an Add applies to each channel.
#pragma once

#include <optional>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc::bitcode {

struct ChannelFactors {
  std::vector<float> scale, shift;  // y = x * scale + shift
};

// Null for another node, for one whose parameters are computed, and for one that learns.
[[nodiscard]] std::optional<ChannelFactors> channel_factors(const codegen::Region& region, const codegen::Node& node);

// The numbers that an Add adds to each channel of `to`, the last dim: nullopt for another node, and for anything but a
// constant row.
[[nodiscard]] std::optional<std::vector<float>> channel_shift(const codegen::Region& region, const codegen::Node& node,
                                                              codegen::ValueId to);

}  // namespace byoc::bitcode
