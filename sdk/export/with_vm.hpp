// The export for an executor that interprets: the parts of the model that are compiled, and bytecode around them.
#pragma once

#include "sdk/export/export.hpp"

namespace byoc {

// Errors: a target without an operating system; weights to be bound where no constant can leave the bytecode; those of
// make_islands() and of run_export().
[[nodiscard]] Result<Library> export_with_vm(const ir::Graph& graph, const Job& job, const executor::Executor& executor,
                                             Diagnostics& diags);

}  // namespace byoc
