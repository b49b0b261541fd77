// Operands that say a shape, a length or an axis and are computed, where the types that the model states tell what they
// have to be.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Replaces such an operand (of Reshape, Expand, Tile, Split, TopK, Reduce*, Resize to sizes ...) by a constant.
// byoc.Expect in front of the node checks the numbers that a run finds: a run that finds others fails. Operands that
// the stated types leave open stay. Bodies are changed, too. Returns true if something changed.
bool expect_parameters(ir::Graph&);

}  // namespace byoc
