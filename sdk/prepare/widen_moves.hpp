// Elements of few bits become bytes where operators move them.
#pragma once

#include "sdk/ir/graph.hpp"

namespace byoc {

// A Transpose, Pad, Concat ... of elements of a small type becomes one of bytes between conversions that lose nothing,
// so that no kernel has to move parts of bytes. What leaves all elements in their order (Reshape, Identity) stays.
void widen_moves(ir::Graph&);

}  // namespace byoc
