// What the device can do, as the plug-in sees it: a node of the graph read into the terms of npu_isa.h, or why not.
#pragma once

#include <byoc/plugin.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "npu_isa.h"

namespace npu {

using byoc::codegen::kNoValue;
using byoc::codegen::Node;
using byoc::codegen::Reason;
using byoc::codegen::Region;
using byoc::codegen::Value;
using byoc::codegen::ValueId;

// A reason of this vendor's own: the device reads both operands of a sum, and the input of everything else, from RAM.
inline constexpr auto kConstantOperand = static_cast<Reason>(static_cast<std::uint32_t>(Reason::vendor) + 1);

// How a layer looks at a value. The value is stored row-major, its rows (the last dimension) `pitch` bytes apart; rows
// that a layer looks at across their ends need a pitch without gaps.
struct View {
  ValueId value = kNoValue;
  std::int32_t height = 1, width = 1, channels = 1;
  bool channels_first = false;  // the rows are the width, not the channels
  bool dense = false;           // looks across the ends of rows
};

struct Layer {
  enum class Kind { convolution, average, maximum, add, reshape };
  Kind kind = Kind::convolution;
  std::vector<View> inputs;
  View output;
  npu_window_t window{1, 1, 1, 1, 1, 1, 0, 0};
  std::int32_t low = -128, high = 127;
  // convolution
  std::int32_t in_per_group = 1, out_per_group = 1;
  std::vector<std::int8_t> weights;  // [out][kernel_y][kernel_x][in_per_group]
  std::vector<npu_channel_t> channels;
  // add: of both inputs and the sum
  std::vector<npu_factor_t> factors;
  std::uint64_t macs = 0;
};

struct Refusal {
  Reason reason = Reason::none;
  std::string text;
};

[[nodiscard]] std::variant<Layer, Refusal> read_layer(const Region& region, const Node& node);

}  // namespace npu
