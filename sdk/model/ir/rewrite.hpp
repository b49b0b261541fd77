// Helpers that passes share: order, removal, replacement.
#pragma once

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

// Puts nodes into topological order, keeping the given order where it can. Error: a cycle, with the nodes on it.
Result<void> sort_topologically(Graph&, Diagnostics&);

// Every reader of `from`, graph outputs included, reads `to` instead.
void replace_uses(Graph&, ValueId from, ValueId to);

// Removes nodes whose outputs nobody needs and values that nothing names; renumbers ids.
void remove_dead(Graph&);

}  // namespace byoc::ir
