// Runs of a graph.json, whoever made it, with its library, which may crash: in a process of their own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "byoc/byoc.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/helper_program.hpp"

namespace byoc::api {

// The inputs and outputs of the graph in file `graph`; those of `params` ("": none) are neither.
[[nodiscard]] Result<ModelInterface> graph_interface(const std::string& graph, const std::string& params, Diagnostics&);

struct GraphRuns {
  std::string graph, library, params;   // files; params "": none
  std::span<const TensorBytes> inputs;  // of all runs, run by run
  bool reset = false;                   // the states, between runs
  std::uint32_t repeat = 0;             // further runs of the last inputs, each timed
};

// The outputs of all runs and the times of the repetitions. Errors: those of GraphExecutor, its process that ended, an
// answer that is none.
[[nodiscard]] Result<RunResult> run_apart(const GraphRuns& runs, const ModelInterface& interface, Diagnostics& diags);

// The service that answers run_apart(), for the program that does work for others.
extern const Service kGraphRunService;

}  // namespace byoc::api
