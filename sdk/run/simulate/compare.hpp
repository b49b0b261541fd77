// Compares the results of a simulated run with the evaluator's, tensor by tensor.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sdk/model/evaluate/comparison.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc {

struct Compared {
  std::size_t tensors = 0;
  std::size_t exact = 0;  // of them: had to be what the evaluator says, bit for bit
  std::size_t taken = 0;  // beside them: of operators that only the target computes
  std::optional<evaluate::Difference> difference;
  std::size_t run = 0;  // of the difference
  std::vector<OutputDifference> outputs = {};
};

// `inputs` and `dumps` are of `runs` runs of one instance, as many each; with `reset` it is reset before each but the
// first. `stated` and `how` as evaluate::Comparison takes them. Error: the evaluator cannot compute a node.
[[nodiscard]] Result<Compared> compare_with_evaluator(const ir::Graph& graph, std::vector<evaluate::Allowance> stated,
                                                      evaluate::Agreement how, std::span<const Blob> inputs,
                                                      std::size_t runs, bool reset,
                                                      const std::vector<DumpedTensor>& dumps, Diagnostics&);

}  // namespace byoc
