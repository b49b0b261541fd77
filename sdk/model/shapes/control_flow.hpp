// Simplifies and analyses If, Loop and Scan before anything runs. Internal to this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Simplifies the nodes of this graph, not of its bodies:
// - constants that a body captures become constants of the body;
// - an If whose condition is constant, a Loop that runs no round or exactly one, and a Scan of one round are replaced
// by
//   their bodies;
// - a value that a Loop or Scan carries unchanged becomes a capture;
// - outputs that nobody reads are removed, where the node allows it;
// - a Scan scans and stacks along axis 0, with a Transpose before or behind it for other axes.
// Returns true if something changed.
bool simplify_control(ir::Graph&);

// The inputs of the graph on whose elements the condition of an If depends; nullopt where a node with bodies gives it.
[[nodiscard]] std::optional<std::vector<ir::ValueId>> inputs_of_condition(const ir::Graph&, const ir::Node& if_node);

// True if folding will choose a branch of this If, because its condition depends on constants and shapes alone. Until
// then the branches are not examined: the other branch need not make sense.
[[nodiscard]] bool will_choose(const ir::Graph&, const ir::Node&);

// Attribute of a Loop or Scan whose carried tensors may change their shapes from round to round, where only a run knows
// them; not 0: yes. Without it they keep the shapes that they begin with.
inline constexpr const char* kOpenCarried = "open_carried";

[[nodiscard]] bool has_rounds(const ir::Graph&);  // a Loop or Scan, in a body too
// Gives them all that attribute.
void open_carried(ir::Graph&);
// True if all values that Loops and Scans carry keep their shape, as far as it is inferred.
[[nodiscard]] bool carried_shapes_hold(const ir::Graph&);

// The value of a constant bool; nullopt for anything else.
[[nodiscard]] std::optional<bool> constant_truth(const ir::Graph&, ir::ValueId);

template <class T>
void erase_at(std::vector<T>& list, std::size_t index) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

// True if computing this control node from constants is worth its time: the rounds of its loops are known and few.
[[nodiscard]] bool is_short(const ir::Graph&, const ir::Node&);

// An upper bound of how often a body of the node, and what stands in it, is computed; 1 for nodes without bodies.
[[nodiscard]] std::int64_t folded_rounds(const ir::Graph&, const ir::Node&);

}  // namespace byoc
