// Steps of nodes whose operands have dims that only a run knows.
#pragma once

#include <vector>

#include "sdk/program/plan/program.hpp"

namespace byoc::plan {

// The codegens' calls for `open`, whose nodes share no values: one call each, in order. Errors: a node with another
// number of steps, a step with an instance or private values.
Result<std::vector<Call>> open_calls(const ir::Graph& open, const plugin::Compilation& compilation, Diagnostics& diags);

}  // namespace byoc::plan
