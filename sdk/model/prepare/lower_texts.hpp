// Tensors of strings as tensors of bytes (docs/decisions/bounded-values.md).
#pragma once

#include "sdk/model/ir/graph.hpp"
#include "sdk/model/prepare/bound_inputs.hpp"

namespace byoc {

// Replaces strings by rows of bytes, all of one length in a tensor: the string's bytes, then zeros, at least one.
// Inputs have the sizes in `bounds`; inputs without a bound stay, and so does everything without a rule. Operators on
// strings become operators on numbers. Returns true if something changed.
bool lower_texts(ir::Graph&, const Bounds& bounds);

}  // namespace byoc
