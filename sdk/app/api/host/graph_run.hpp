// Runs of models that the executor `graph` printed, in this process.
#pragma once

#include <span>

#include "byoc/byoc.hpp"
#include "byoc/graph_executor.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc::api {

// True if a graph executor runs the library.
[[nodiscard]] bool has_graph(const LoadedModule& root);

// The worker's side of run_graph_library(); figures of steps and tensors are those of `model`, whose steps may have no
// results. Errors: inputs of the wrong number or size, cycles, a function that fails.
[[nodiscard]] Result<RunResult> run_graph(const LoadedModule& root, const ModelInterface& model,
                                          std::span<const TensorBytes> inputs, const RunOptions& options, Diagnostics&);

}  // namespace byoc::api
