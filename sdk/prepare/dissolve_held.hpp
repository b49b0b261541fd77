// Sequences and optionals whose elements are known one by one: whatever looks into them reads the elements instead.
// What then reads nothing any more is dead; a graph that has no others left is one of tensors. How many elements there
// are, and where, may be for a run to tell, as long as there is room for the most there can be and all have one shape.
#pragma once

#include "sdk/prepare/held_values.hpp"

namespace byoc {

// What is known of each that is left.
HeldValues dissolve_held(ir::Graph&);

}  // namespace byoc
