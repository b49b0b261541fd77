// Elements of few bits become bytes where operators move them.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// A Transpose, Pad, Concat ... of a small element type works on bytes instead, between lossless conversions, so that no
// kernel has to move parts of bytes. Operators that keep all elements in their order (Reshape, Identity) stay.
// Returns true if something changed.
bool widen_moves(ir::Graph&);

}  // namespace byoc
