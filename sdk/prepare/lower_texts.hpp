// Tensors of strings as tensors of bytes (docs/decisions/bounded-values.md).
#pragma once

#include "sdk/ir/graph.hpp"
#include "sdk/prepare/bound_inputs.hpp"

namespace byoc {

// A string is a row of bytes of one length for all of a tensor: its own, then zeros, at least one. Inputs have the room
// that `bounds` says; those of which it says nothing stay what they are, and so does what no rule is for. What
// operators do with strings becomes operators on numbers. Returns whether something changed.
bool lower_texts(ir::Graph&, const Bounds& bounds);

}  // namespace byoc
