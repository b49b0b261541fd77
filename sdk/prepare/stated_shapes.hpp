// Shapes that follow from what the model states of results further on.
#pragma once

#include "sdk/ir/graph.hpp"

namespace byoc {

// An operand of an elementwise operator whose shape nothing tells takes that of the result, where broadcasting leaves
// no other. What computes it has to look at what a run finds, as where the model states its shape. In bodies, too.
// Returns whether something changed.
bool take_stated_shapes(ir::Graph&);

}  // namespace byoc
