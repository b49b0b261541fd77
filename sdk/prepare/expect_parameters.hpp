// Operands that say a shape, a length or an axis and are computed, where the types that the model states tell what they
// have to be.
#pragma once

#include "sdk/ir/graph.hpp"

namespace byoc {

// Such an operand (of Reshape, Expand, Tile, Split, TopK, Reduce*, Resize to sizes ...) becomes a constant, and
// byoc.Expect in front of the node looks at what a run finds: a run that finds something else fails. Operands that
// stated types leave open stay. In bodies, too. Returns whether something changed.
bool expect_parameters(ir::Graph&);

}  // namespace byoc
