// Replaces sequences and optionals whose elements are known one by one: their readers read the elements instead. Nodes
// that then have no reader are dead; a graph without other sequences has only tensors. Only a run may tell the number
// and positions of elements, if there is room for the largest number and all have one shape.
#pragma once

#include "sdk/model/prepare/held_values.hpp"

namespace byoc {

// Appends the known elements of the sequences and optionals that remain to `known`. Returns true if a node is gone or
// replaced.
bool expand_sequences(ir::Graph&, std::vector<HeldValues>& known);
bool expand_sequences(ir::Graph&);

}  // namespace byoc
