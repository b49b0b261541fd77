// A Split into very many pieces becomes several into some. Internal to this folder.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Cuts those whose pieces have known lengths into at most kMostOperands (narrow_concats.hpp) at a time, in bodies too.
// Returns true if something changed.
bool narrow_splits(ir::Graph& graph);

}  // namespace byoc
