// Every step by itself: it is given the evaluator's values, and what it makes of them is compared.
#pragma once

#include <vector>

#include "sdk/model/evaluate/comparison.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc {

// A verdict for each step of the model, without regions. Runs the watched program twice: once to learn what lies
// between the elements of tensors that are stored in another layout, and once in which the values that are complete
// after a step become the evaluator's. `stated` and `how` as evaluate::Comparison takes them. Errors: those of
// simulate(); a model whose steps have no table; a node that neither the evaluator nor the run can tell the result of.
[[nodiscard]] Result<std::vector<StepVerdict>> bisect(const SimulateRequest&, const ir::Graph& graph,
                                                      const std::vector<evaluate::Allowance>& stated,
                                                      evaluate::Agreement how, Diagnostics&);

}  // namespace byoc
