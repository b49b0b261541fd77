// If, Loop and Scan that take and give tensors in the place of sequences and optionals. Internal to this folder.
#pragma once

#include "sdk/model/prepare/held_values.hpp"

namespace byoc {

// Appends the node to the graph's: what it captures is passed as tensors; so is what an If gives, where both branches
// know it; a Loop that carries sequences through a known number of rounds becomes these rounds. Behind it stand nodes
// that hold the tensors again. `known`: of the values before the node. Returns true if something changed.
bool expand_control(ir::Graph&, ir::Node node, const HeldValues& known);

}  // namespace byoc
