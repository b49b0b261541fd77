// Matches of declared patterns in a graph.
#pragma once

#include <span>
#include <vector>

#include "byoc/codegen.hpp"

namespace byoc {

// Matches, one for each root at most: by pattern, those with more nodes first, then by root. What inner nodes compute
// is read inside the match only, and does not leave the region. An optional node is matched where it is there.
[[nodiscard]] std::vector<codegen::Match> find_matches(const codegen::Region& region,
                                                       std::span<const codegen::Pattern> patterns);

}  // namespace byoc
