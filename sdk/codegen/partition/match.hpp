// Matches of declared patterns in a graph.
#pragma once

#include <span>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc {

// Matches, at most one for each root: by pattern, those with more nodes first, then by root. Values between the nodes
// of a match are read inside the match only, and do not leave the region. An optional node is matched if it is present.
[[nodiscard]] std::vector<codegen::Match> find_matches(const codegen::Region& region,
                                                       std::span<const codegen::Pattern> patterns);

}  // namespace byoc
