// Operators as the model wrote them.
#pragma once

#include <set>
#include <string>

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// An operator as the model wrote it. Nodes that lifting makes of it keep both members. Operators that share them (in a
// function, in branches) count as one.
struct SourceNode {
  std::int64_t position = -1;
  std::string name;
  auto operator<=>(const SourceNode&) const = default;
};
[[nodiscard]] inline SourceNode source_of(const ir::Node& node) { return {node.position, node.name}; }
using SourceNodes = std::set<SourceNode>;

}  // namespace byoc
