#include "sdk/export/place_and_optimise.hpp"

#include <utility>

#include "sdk/export/run_export.hpp"

namespace byoc {

Result<PlacedModel> place_and_optimise(const ir::Graph& graph, const Job& job, bool bind_constants,
                                       const Partition* placed, Diagnostics& diags) {
  if (placed == nullptr && !begin_stage("partition", job, diags)) return failure;
  auto partition = placed != nullptr
                       ? Result<Partition>(*placed)
                       : make_partition(graph, job.codegens, job.target, job.request.partition, diags, bind_constants);
  if (!partition) return failure;

  // Values inside of regions may get another shape here, values at borders do not.
  if (!begin_stage("optimise", job, diags)) return failure;
  auto optimised = optimise::rewrite(graph_of(*partition, graph), *partition, job.codegens, job.target,
                                     {job.request.no_optimise}, diags);
  if (!optimised) return failure;
  return PlacedModel{std::move(*partition), std::move(*optimised)};
}

}  // namespace byoc
