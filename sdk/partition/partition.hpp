// Every codegen gives a verdict on every node; nodes are placed; neighbours of one codegen form regions.
#pragma once

#include <span>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/plugin/region.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

struct PlacedRegion {
  std::size_t codegen = 0;  // index into the codegens asked
  plugin::BoundRegion bound;
};

// Asks the codegens in their order of preference; a node goes to the first that claims it. Regions are runs of
// neighbours in the graph's topological order, which makes each of them convex. Errors: each node that nobody
// claims, with every codegen's reason.
Result<std::vector<PlacedRegion>> partition(const ir::Graph& graph, std::span<codegen::Codegen* const> codegens,
                                            const TargetSpec& target, Diagnostics&);

}  // namespace byoc
