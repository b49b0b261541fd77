// The first stages of an export, which are all of `byoc partition`.
#pragma once

#include "sdk/codegen/optimise/optimise.hpp"
#include "sdk/export/export.hpp"

namespace byoc {

// A model whose nodes have their codegens.
struct PlacedModel {
  Partition partition;
  optimise::Optimised optimised;
};

// partition, optimise. `placed`: the partition of the graph, if it was made before; null: it is made. Errors: a node
// that no codegen takes, with everyone's reasons; those of rewrites.
[[nodiscard]] Result<PlacedModel> place_and_optimise(const ir::Graph& graph, const Job& job, bool bind_constants,
                                                     const Partition* placed, Diagnostics& diags);

}  // namespace byoc
