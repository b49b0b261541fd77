// Constant folding with the one choice that prepare makes.
#pragma once

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/graph.hpp"
#include "sdk/model/prepare/fold_budget.hpp"
#include "sdk/model/prepare/prepare.hpp"

namespace byoc {

// Dequantised weights are what lifting looks for, so they must not be folded to floats before it has run.
enum class FoldDequantise { no, yes };

// Returns true if something changed.
Result<bool> fold(ir::Graph&, FoldDequantise, FoldBudget&, Diagnostics&);

// QDQ and QLinear forms become operators on quantised tensors wherever that is exact, in all bodies too. Nodes in
// `literal` stay as the model has them.
Result<void> lift_quantisation(ir::Graph&, const SourceNodes& literal, FoldBudget&, Diagnostics&);

}  // namespace byoc
