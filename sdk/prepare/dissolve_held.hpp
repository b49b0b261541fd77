// Sequences and optionals whose elements are known one by one: whatever looks into them reads the elements instead.
// What then reads nothing any more is dead; a graph that has no others left is one of tensors.
#pragma once

#include "sdk/ir/graph.hpp"

namespace byoc {

void dissolve_held(ir::Graph&);

}  // namespace byoc
