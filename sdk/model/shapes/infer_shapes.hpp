// Types of all values of a graph, from those of its inputs.
#pragma once

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// Checks each node's operands and computes the types of its outputs; where the model stated a type that does not
// fit, that is an error with both. Returns true if a type changed.
Result<bool> infer_shapes(ir::Graph&, Diagnostics&);
// Infers one of its nodes in the same way.
Result<bool> infer_node(ir::Graph&, ir::Node&, Diagnostics&);

}  // namespace byoc
