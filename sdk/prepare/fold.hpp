// Constant folding with the one choice that prepare makes.
#pragma once

#include "sdk/ir/graph.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

// Dequantised weights are what lifting looks for, so they must not be folded to floats before it has run.
enum class FoldDequantise { no, yes };

Result<void> fold(ir::Graph&, FoldDequantise, Diagnostics&);

}  // namespace byoc
