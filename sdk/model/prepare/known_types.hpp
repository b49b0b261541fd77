// Types that are not known when a model is compiled, and what a user can do about them.
#pragma once

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"

namespace byoc {

// True if every type is known, in bodies too. Lifting relies on it.
[[nodiscard]] bool all_static(const ir::Graph&);

// Errors: each value of the graph and of bodies whose type is not known. Open inputs are the cause of open values
// behind them, so they alone are reported where there are any.
Result<void> check_types_known(const ir::Graph&, Diagnostics&);

// An error inside of an If may be in a branch that no run of the user's takes: notes which inputs choose the branch.
void tell_what_chooses(const ir::Graph&, Diagnostics&);

}  // namespace byoc
