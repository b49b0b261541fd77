// Do results agree with the evaluator within the exactness that the verdicts state?
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "byoc/codegen.hpp"
#include "sdk/evaluate/evaluate.hpp"

namespace byoc::check {

struct Closeness {
  codegen::Exactness exactness = codegen::Exactness::exact;
  double tolerance = 0;
};

// "" or the first element that is too far off. Exact: equal numbers, NaN for NaN. Tolerances of integers are in steps.
[[nodiscard]] std::string disagreement(const evaluate::Tensor& found, const evaluate::Tensor& expected, Closeness);

// Node by node: what the evaluator makes of the values that the node had as inputs, so that one node's rounding does
// not count against the next. `found`: those of the graph's values that are known. `closeness`: of each node.
[[nodiscard]] std::string compare(const ir::Graph& graph, std::span<const evaluate::Tensor> inputs,
                                  const std::map<ir::ValueId, evaluate::Tensor>& found,
                                  std::span<const Closeness> closeness);

}  // namespace byoc::check
