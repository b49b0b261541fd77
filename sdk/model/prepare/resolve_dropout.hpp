// Dropout that is known to drop nothing (inference, a ratio of 0) gives its input back, and a mask of true everywhere.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Returns true if something changed.
bool resolve_dropout(ir::Graph&);

}  // namespace byoc
