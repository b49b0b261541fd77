// Transpose: a copy through permuted strides, or nothing where no element moves.
#include <algorithm>
#include <numeric>

#include "backends/c/lower/lowerings.hpp"
#include "backends/c/lower/move/movement.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Region;
using codegen::Value;

std::optional<Movement> read_transpose(const Region& region, const Node& node, std::string& why) {
  const Value& x = region.values[node.inputs[0]];
  const std::size_t rank = x.dims.size();
  Dims reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const Dims perm = node.integers("perm", reversed);
  std::vector<bool> seen(rank, false);
  Copy copy;
  const Extents dims = extents(x), strides = dense_strides(dims);
  for (std::int64_t axis : perm) {
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank) || seen[static_cast<std::size_t>(axis)] ||
        perm.size() != rank) {
      why = "attribute perm is no permutation of the dims of " + shape_text(x);
      return std::nullopt;
    }
    seen[static_cast<std::size_t>(axis)] = true;
    copy.dims.push_back(dims[static_cast<std::size_t>(axis)]);
    copy.from_strides.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  if (copy.dims.size() != rank) {
    why = "attribute perm is no permutation of the dims of " + shape_text(x);
    return std::nullopt;
  }
  copy.to_strides = dense_strides(copy.dims);
  Movement out;
  out.pieces.push_back({0, 0, std::move(copy)});
  return out;
}

}  // namespace

codegen::Verdict accepts_transpose(const Region& region, const Node& node, const TargetSpec&) {
  return accepts_movement(region, node, read_transpose);
}

bool lower_transpose(Emitter& emitter, const Node& node) { return lower_movement(emitter, node, read_transpose); }

}  // namespace byoc::c
