// DepthToSpace and SpaceToDepth: transposes of six dims.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

bool fits(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  if (node.integer("blocksize", 0) > 0 && x.dims.size() == 4 && region.values[node.outputs[0]].dims.size() == 4)
    return true;
  why = "found blocksize " + std::to_string(node.integer("blocksize", 0)) + " on " + shape_text(x) +
        ", expected a positive one on N, C, H, W";
  return false;
}

std::optional<Movement> read_depth_to_space(const Region& region, const Node& node, std::string& why) {
  if (!fits(region, node, why)) return std::nullopt;
  const Value& y = region.values[node.outputs[0]];
  const Dims& x = region.values[node.inputs[0]].dims;
  const std::int64_t b = node.integer("blocksize", 0), depth = y.dims[1], area = x[2] * x[3];
  const bool dcr = node.text("mode", "DCR") == "DCR";
  // N, C, H, row in the block, W, column in the block
  Copy copy;
  copy.dims = {x[0], depth, x[2], b, x[3], b};
  copy.to_strides = dense_strides(copy.dims);
  copy.from_strides = {x[1] * area, dcr ? area : b * b * area, x[3], dcr ? b * depth * area : b * area,
                       1,           dcr ? depth * area : area};
  Movement out;
  out.pieces.push_back({0, 0, std::move(copy)});
  return out;
}

std::optional<Movement> read_space_to_depth(const Region& region, const Node& node, std::string& why) {
  if (!fits(region, node, why)) return std::nullopt;
  const Dims& x = region.values[node.inputs[0]].dims;
  const std::int64_t b = node.integer("blocksize", 0), area = x[2] * x[3];
  // N, row in the block, column in the block, C, H, W
  Copy copy;
  copy.dims = {x[0], b, b, x[1], x[2] / b, x[3] / b};
  copy.to_strides = dense_strides(copy.dims);
  copy.from_strides = {x[1] * area, x[3], 1, area, b * x[3], b};
  Movement out;
  out.pieces.push_back({0, 0, std::move(copy)});
  return out;
}

}  // namespace

codegen::Verdict accepts_depth_to_space(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_movement(region, node, read_depth_to_space);
}
bool lower_depth_to_space(Emitter& emitter, const Node& node) {
  return lower_movement(emitter, node, read_depth_to_space);
}

codegen::Verdict accepts_space_to_depth(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_movement(region, node, read_space_to_depth);
}
bool lower_space_to_depth(Emitter& emitter, const Node& node) {
  return lower_movement(emitter, node, read_space_to_depth);
}

}  // namespace byoc::c
