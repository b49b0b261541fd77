// The work and memory that the evaluator needs for a node beyond reading operands and writing results, stated before
// anything is computed: of operators whose results do not tell.
#pragma once

#include <span>

#include "sdk/model/evaluate/evaluate.hpp"

namespace byoc::evaluate {

// Upper bounds. The numbers are floating-point, so that nothing overflows.
struct Effort {
  double operations = 0;  // multiply-accumulates, or as long as so many take
  double bytes = 0;       // at one time
  double text_bytes = 0;  // of strings that it makes, with the objects that hold them
};

// `operands`: null where the value is not known; its type in the graph counts then. Strings may be the packed bytes of
// a constant (ir::pack_texts()), so that none is copied for the question.
[[nodiscard]] Effort effort_of(const ir::Graph& graph, const ir::Node& node, std::span<const Tensor* const> operands);

// Error: it takes more memory than a node may while it is computed; both numbers are named.
Result<void> check_effort(const ir::Graph& graph, const ir::Node& node, std::span<const Tensor* const> operands,
                          std::uint64_t largest_result, Diagnostics& diags);

}  // namespace byoc::evaluate
