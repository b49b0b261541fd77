// The plain way of an export, which its variants (with_vm.hpp, with_levels.hpp, without_names.hpp) go, too.
#pragma once

#include <span>

#include "sdk/export/export.hpp"
#include "sdk/program/executor/level.hpp"
#include "sdk/program/plan/open_calls.hpp"

namespace byoc {

// How one export differs from others of its job.
struct Execution {
  const executor::Executor& executor;
  bool step_table = false;
  bool reuse_inputs = false;
  bool bind_constants = false;                   // constants leave the library
  std::span<const executor::Level> levels = {};  // of the model, for higher levels of the architecture
  const plan::OpenNodes* open = nullptr;         // compiled beside the model; null: there are none
  const Partition* placed = nullptr;             // of the graph, where somebody needed it before; null: it is made
};

// As the request says, without a variant.
[[nodiscard]] Execution plain_execution(const Job& job, const executor::Executor& executor);

// A stage begins: tells the request's progress. Error: job.cancelled says so.
[[nodiscard]] Result<void> begin_stage(std::string_view stage, const Job& job, Diagnostics& diags);

// partition .. verify. `graph` outlives the library's partition, unless that has a graph of its own.
[[nodiscard]] Result<Library> run_export(const ir::Graph& graph, const Job& job, const Execution& execution,
                                         Diagnostics& diags);
// Runs the export by the executor of the job; one that interprets stands around the parts that are compiled.
[[nodiscard]] Result<Library> export_with_executor(const ir::Graph& graph, const Job& job, Diagnostics& diags);

}  // namespace byoc
