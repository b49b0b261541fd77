// Runs of libraries that the executor `graph` printed, in a process of their own.
#pragma once

#include <span>

#include "byoc/run.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/helper_program.hpp"
#include "sdk/run/host/loadable.hpp"

namespace byoc::api {

// As run_graph(), of a library that is linked. Errors: its, the end of its process, an answer that is none.
[[nodiscard]] Result<RunResult> run_graph_library(const runtime::Loadable& library, const ModelInterface& model,
                                                  std::span<const TensorBytes> inputs, const RunOptions& options,
                                                  Diagnostics& diags);

// The service that answers run_graph_library(), for the program that does work for others.
extern const Service kGraphLibraryService;

}  // namespace byoc::api
