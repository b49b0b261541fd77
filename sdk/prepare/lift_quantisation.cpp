#include "sdk/ir/rewrite.hpp"
#include "sdk/prepare/lift/rewriter.hpp"
#include "sdk/prepare/prepare.hpp"

namespace byoc {

Result<void> lift_quantisation(ir::Graph& graph, Diagnostics& diags) {
  for (const ir::Node& node : graph.nodes)
    for (const auto& body : ir::bodies(node))
      if (!lift_quantisation(*body, diags)) return failure;
  lift::annotate(graph);
  lift::sink_dequantise(graph);
  // Weights that were transposed after they were dequantised are integer constants now.
  if (!fold_constants(graph, diags)) return failure;
  lift::merge_equal(graph);
  ir::remove_dead(graph);
  lift::hoist_quantise(graph);
  lift::merge_equal(graph);
  ir::remove_dead(graph);
  lift::fuse(graph);
  ir::remove_dead(graph);
  return {};
}

}  // namespace byoc
