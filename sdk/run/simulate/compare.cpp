#include "sdk/run/simulate/compare.hpp"

namespace byoc {

Result<Compared> compare_with_evaluator(const ir::Graph& graph, std::vector<evaluate::Allowance> stated,
                                        evaluate::Agreement how, std::span<const Blob> inputs, std::size_t runs,
                                        bool reset, const std::vector<DumpedTensor>& dumps, Diagnostics& diags) {
  evaluate::Comparison comparison(graph, std::move(stated), how);
  Compared out;
  const std::size_t each = dumps.size() / runs;
  for (std::size_t run = 0; run < runs && !out.difference; ++run) {
    evaluate::FoundTensors found;
    // The bytes stay where they are: `dumps` outlives the comparison.
    for (const DumpedTensor& d : std::span(dumps).subspan(run * each, each))
      found[d.tensor.value] = {Blob::view(d.bytes, nullptr), d.tensor.channels};
    if (run != 0 && reset) comparison.reset();
    auto difference = comparison.run(inputs.subspan(run * graph.inputs.size(), graph.inputs.size()), found, diags);
    if (!difference) return failure;
    out.difference = std::move(*difference);
    out.run = run;
  }
  out.tensors = comparison.compared();
  out.exact = comparison.exact();
  out.taken = comparison.taken();
  return out;
}

}  // namespace byoc
