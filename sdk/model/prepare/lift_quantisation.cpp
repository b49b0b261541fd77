#include "sdk/model/ir/rewrite.hpp"
#include "sdk/model/lift/rewriter.hpp"
#include "sdk/model/prepare/fold.hpp"

namespace byoc {

Result<void> lift_quantisation(ir::Graph& graph, const SourceNodes& literal, FoldBudget& budget, Diagnostics& diags) {
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node))
      if (!lift_quantisation(*body, literal, budget, diags)) return failure;
  lift::annotate(graph, literal);
  lift::sink_dequantise(graph, literal);
  // Weights that were transposed after they were dequantised are integer constants now.
  if (!fold(graph, FoldDequantise::no, budget, diags)) return failure;
  lift::merge_equal(graph);
  ir::remove_dead(graph);
  lift::hoist_quantise(graph, literal);
  lift::merge_equal(graph);
  ir::remove_dead(graph);
  lift::fuse(graph, literal);
  ir::remove_dead(graph);
  return {};
}

}  // namespace byoc
