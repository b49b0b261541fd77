// Steps of nodes whose operands have dims that only a run knows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sdk/program/plan/program.hpp"

namespace byoc::plan {

// Nodes that share no values; codegens[n] compiles node n: its position among those of the export.
struct OpenNodes {
  const ir::Graph& graph;
  std::span<const std::size_t> codegens;
};

// The codegens' calls for `open`, whose nodes share no values: one call each, in order. Errors: a node with another
// number of steps, a step with an instance or private values.
Result<std::vector<Call>> open_calls(const ir::Graph& open, const plugin::Compilation& compilation, Diagnostics& diags);

}  // namespace byoc::plan
