// Results whose length only a run tells, in code that has all memory planned before.
#pragma once

#include "sdk/model/ir/graph.hpp"

namespace byoc {

// NonZero, Compress, Unique, NonMaxSuppression, and TopK by a computed k, become the operators of domain "byoc" of the
// same names, with static types:
//   - Results that are only outputs of the graph get their largest size. A count is computed with each; counts become
//     outputs behind all others, and Graph::counted says whose they are. This also holds if their readers keep the
//     length and the zeros behind it (Transpose, Cast, Relu, Gather along another axis ...).
//   - Results that something reads keep the length that the model states, and a run that finds another one fails.
// Others (no length is known, no bound can be computed) stay. Returns true if something changed.
bool bound_results(ir::Graph&);

}  // namespace byoc
