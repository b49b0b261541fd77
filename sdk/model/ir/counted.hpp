// Operators whose results are as long as the elements of their operands say, and their forms in domain "byoc", whose
// results have room for the most there can be and come with a count.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sdk/model/ir/graph.hpp"

namespace byoc::ir {

struct CountedResults {
  std::vector<std::pair<std::size_t, std::size_t>> dims;  // outputs, and the dim of each that is counted
  std::size_t count = 0;                                  // the output of the byoc form that is the count
};

// The results of an operator of either domain whose length only a run tells. `rank` is that of the first input. Without
// dims, the operator has no such results or its axis is out of range.
[[nodiscard]] CountedResults counted_results(const Node&, std::size_t rank);

}  // namespace byoc::ir
