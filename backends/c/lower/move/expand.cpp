// Expand and Tile: copies through strides of 0.
#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

std::optional<Movement> read_expand(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (x.dims.size() > y.dims.size()) {
    why = "found a result " + shape_text(y) + ", expected at least the rank of " + shape_text(x);
    return std::nullopt;
  }
  Movement out;
  const Extents dims = extents(y);
  out.pieces.push_back({0, 0, {dims, broadcast_strides(extents(x), dims), dense_strides(dims)}});
  return out;
}

std::optional<Movement> read_tile(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const Value& y = region.values[node.outputs[0]];
  if (x.dims.size() != y.dims.size()) {
    why = "found a result " + shape_text(y) + ", expected the rank of " + shape_text(x);
    return std::nullopt;
  }
  const Dims from = dense_strides(x.dims), to = dense_strides(y.dims);
  Copy copy;
  for (std::size_t d = 0; d < x.dims.size(); ++d) {
    copy.dims.insert(copy.dims.end(), {x.dims[d] == 0 ? 0 : y.dims[d] / x.dims[d], x.dims[d]});
    copy.from_strides.insert(copy.from_strides.end(), {0, from[d]});
    copy.to_strides.insert(copy.to_strides.end(), {to[d] * x.dims[d], to[d]});
  }
  Movement out;
  out.pieces.push_back({0, 0, std::move(copy)});
  return out;
}

}  // namespace

codegen::Verdict accepts_expand(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_movement(region, node, read_expand);
}
bool lower_expand(Emitter& emitter, const Node& node) { return lower_movement(emitter, node, read_expand); }

codegen::Verdict accepts_tile(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_movement(region, node, read_tile);
}
bool lower_tile(Emitter& emitter, const Node& node) { return lower_movement(emitter, node, read_tile); }

}  // namespace byoc::c
