#include "sdk/prepare/lift/movement.hpp"

#include <algorithm>
#include <array>

#include "sdk/prepare/lift/rewriter.hpp"

namespace byoc::lift {
namespace {

// A float Pad that fills with zero becomes a Pad of integers that fills with the zero point, which is what a
// quantised Pad does. Integers that are padded as they are stay so.
bool fills_with_zero(const ir::Graph& graph, const ir::Node& pad) {
  if (pad.text("mode", "constant") != "constant") return true;
  if (graph.values[pad.inputs[0]].type.dtype != DType::f32) return false;
  if (pad.input(2) == ir::kNoValue) return true;
  const auto value = floats(graph, pad.input(2));
  return value && value->size() == 1 && (*value)[0] == 0;
}

// A Resize that gives every output element an input element, and nothing else.
bool picks_elements(const ir::Node& resize) {
  return resize.text("mode", "nearest") == "nearest" &&
         resize.text("coordinate_transformation_mode", "half_pixel") != "tf_crop_and_resize";
}

}  // namespace

std::size_t moved_inputs(const ir::Graph& graph, const ir::Node& node) {
  constexpr std::array<std::string_view, 19> kMovesFirst = {
      "Reshape",      "Flatten",        "Squeeze",  "Unsqueeze", "Transpose",      "Identity", "Slice",
      "Gather",       "Split",          "MaxPool",  "Expand",    "GlobalMaxPool",  "Tile",     "DepthToSpace",
      "SpaceToDepth", "GatherElements", "GatherND", "Compress",  "ReverseSequence"};
  if (!node.domain.empty() || node.inputs.empty()) return 0;
  // Where a maximum was found is no element.
  if (node.op == "MaxPool" && node.outputs.size() > 1 && node.outputs[1] != ir::kNoValue) return 0;
  if (std::find(kMovesFirst.begin(), kMovesFirst.end(), node.op) != kMovesFirst.end()) return 1;
  if (node.op == "Concat") return node.inputs.size();
  if (node.op == "Resize") return picks_elements(node) ? 1 : 0;
  if (node.op == "Pad") return fills_with_zero(graph, node) ? 1 : 0;
  return 0;
}

}  // namespace byoc::lift
