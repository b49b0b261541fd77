// What oneDNN can do, as the plug-in sees it: nodes of the graph read into one layer, or why not.
#pragma once

#include <byoc/plugin.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "onednn_graph.h"

namespace onednn {

using byoc::codegen::kNoValue;
using byoc::codegen::Node;
using byoc::codegen::NodeId;
using byoc::codegen::Reason;
using byoc::codegen::Region;
using byoc::codegen::Value;
using byoc::codegen::ValueId;
using Dims = std::vector<std::int64_t>;

// Dimensions in oneDNN's order (batch, channels, rows, columns; of filters group, out, in, rows, columns; of a dense
// layer out, in), and how many elements apart their indices are in memory.
struct View {
  Dims dims = {};
  Dims strides = {};
};

struct Layer {
  std::int32_t kind = 0;      // ONEDNN_CONVOLUTION ...
  std::vector<NodeId> nodes;  // ascending; what the last one computes is the output
  ValueId input = kNoValue;
  ValueId second = kNoValue;  // what is added before the activation
  ValueId output = kNoValue;
  std::int32_t activation = ONEDNN_NONE;
  float low = 0, high = 0;     // ONEDNN_CLIP
  bool channels_last = false;  // the graph's layout of rank 4 values: N, rows, columns, C
  Dims strides = {1, 1}, dilations = {1, 1}, begin = {0, 0}, end = {0, 0}, kernel = {1, 1};
  View filter;
  ValueId weights = kNoValue, bias = kNoValue;
  NodeId norm = byoc::codegen::kNoNode;  // a BatchNormalization, on its own or to be folded into the filter
  std::uint64_t macs = 0;
};

struct Refusal {
  Reason reason = Reason::none;
  std::string text;
};

// The nodes as one layer. Ascending; each after the first reads what the one before it computes.
[[nodiscard]] std::variant<Layer, Refusal> read_layer(const Region& region, std::span<const NodeId> nodes);

// Chains that are worth a layer, larger ones first.
[[nodiscard]] std::vector<byoc::codegen::Pattern> patterns();

}  // namespace onednn
