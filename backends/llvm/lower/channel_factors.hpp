// BatchNormalization by constants: one multiplication and one addition for each channel.
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

}  // namespace byoc::bitcode
