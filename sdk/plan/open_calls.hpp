// Steps of nodes whose operands have dims that only a run knows.
#pragma once

#include <vector>

#include "sdk/plan/program.hpp"

namespace byoc::plan {

// What the codegens made of `open`, whose nodes share no values: one call each, in order. Errors: a node of which
// another number of steps was made, a step with an instance or private values.
Result<std::vector<Call>> open_calls(const ir::Graph& open, const plugin::Compilation& compilation, Diagnostics& diags);

}  // namespace byoc::plan
