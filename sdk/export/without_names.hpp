// The export of a model whose layers have no names of their own: the library, its manifest and its sources say nothing
// of them, and a map in a file of its own does.
#pragma once

#include <functional>

#include "sdk/export/export.hpp"

namespace byoc {

// Calls `compile` for the model under neutral names, and tells its diagnostics in the model's own words.
using CompileModel = std::function<Result<Library>(const ir::Graph&, const Job&, Diagnostics&)>;
[[nodiscard]] Result<Library> export_without_names(const ir::Graph& graph, const Job& job, const CompileModel& compile,
                                                   Diagnostics& diags);

}  // namespace byoc
