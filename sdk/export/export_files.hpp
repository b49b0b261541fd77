// The files that an export reads and writes.
#pragma once

#include <string>
#include <vector>

#include "sdk/export/export.hpp"

namespace byoc {

// The model's files, the user's own and those of plug-ins, as they were when they were read.
[[nodiscard]] std::vector<FileStamp> inputs_of(const ir::Graph& graph, const Job& job);

// Gives `library` the file of the constants that leave it, or its bytecode. Errors: those of WeightsFile::make().
[[nodiscard]] Result<void> add_weights(BoundConstants bound, const std::string& model_sha256,
                                       const WeightsOptions& weights, const ModelInterface& interface, Library& library,
                                       Diagnostics& diags);

}  // namespace byoc
