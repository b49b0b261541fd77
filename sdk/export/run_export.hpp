// The plain way of an export, which its variants (with_vm.hpp, without_names.hpp) go, too.
#pragma once

#include <cstddef>
#include <span>

#include "sdk/export/export.hpp"

namespace byoc {

// The executor of this export, and what it needs beside the options.
struct Execution {
  const executor::Executor& executor;
  // The bytecode around the graph that is compiled, for an executor that interprets.
  const bytecode::Lowered* lowered = nullptr;
  std::span<const std::size_t> elsewhere = {};  // codegens that have nodes of the model beside the graph
  const Partition* placed = nullptr;            // of the graph, where somebody needed it before; null: it is made
};

// A stage begins: tells options.progress. Error: options.cancelled says so.
[[nodiscard]] Result<void> begin_stage(std::string_view stage, const ExportOptions& options, Diagnostics& diags);

// partition .. verify. `graph` outlives the library's partition, unless that has a graph of its own.
[[nodiscard]] Result<Library> run_export(const ir::Graph& graph, const ExportOptions& options,
                                         const Execution& execution, Diagnostics& diags);
// Runs the export by the executor that the options name; one that interprets stands around the parts that are compiled.
[[nodiscard]] Result<Library> export_with_executor(const ir::Graph& graph, const ExportOptions& options,
                                                   Diagnostics& diags);

}  // namespace byoc
