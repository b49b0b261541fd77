// Turns an imported graph into one that codegens see: every type known, constants folded, quantisation on the tensors,
// and no node that does nothing.
#pragma once

#include <set>
#include <string>

#include "byoc/options.hpp"
#include "sdk/ir/graph.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// In this order, to a fixed point where they feed each other: bind dims, set inputs, infer shapes, fold constants, lift
// quantisation, remove what does nothing. Afterwards every value's type is static, or an error names the value and
// the open symbol; auto_pad is gone; pads, strides, dilations, kernel_shape and group are explicit.
Result<void> prepare(ir::Graph&, const PrepareOptions&, Diagnostics&);

// Checks each node's operands and computes the types of its outputs; where the model stated a type that does not
// fit, that is an error with both.
Result<void> infer_shapes(ir::Graph&, Diagnostics&);
// Takes nodes away that give their input back. Outputs keep their names, as copies where it takes one.
void remove_neutral(ir::Graph&);

// An operator as the model wrote it. Nodes that lifting makes of it keep both members. Operators that share them (in a
// function, in branches) count as one.
struct SourceNode {
  std::int64_t position = -1;
  std::string name;
  auto operator<=>(const SourceNode&) const = default;
};
[[nodiscard]] inline SourceNode source_of(const ir::Node& node) { return {node.position, node.name}; }
using SourceNodes = std::set<SourceNode>;

// graph.literal once more from lifting on, with the operators of `literal` left as they are. graph.literal is set.
Result<ir::Graph> lift_again(const ir::Graph& graph, const SourceNodes& literal, Diagnostics&);

}  // namespace byoc
