// The export of one model for several levels of x86-64, of which the library runs the highest that there is.
#pragma once

#include "sdk/export/export.hpp"

namespace byoc {

// Compiles the model for each of ExportRequest::multiversion that is above the target's own level, with codegens of
// job.codegens_of, then for the target with all of these inside. Errors: a name that is no level, or one below the
// target; another architecture; those of the exports.
[[nodiscard]] Result<Library> export_with_levels(const ir::Graph& graph, const Job& job,
                                                 const executor::Executor& executor, Diagnostics& diags);

}  // namespace byoc
