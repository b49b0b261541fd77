#include "sdk/export/with_vm.hpp"

#include <utility>

#include "sdk/export/export_files.hpp"
#include "sdk/export/islands.hpp"
#include "sdk/export/run_export.hpp"
#include "sdk/library/object/file_hash.hpp"
#include "sdk/program/executor/executor.hpp"
#include "sdk/program/executor/vm/late_constants.hpp"

namespace byoc {

Result<Library> export_with_vm(const ir::Graph& graph, ExportOptions options, const executor::Executor& executor,
                               Diagnostics& diags) {
  if (!options.target.hosted)
    return diags.error({}, "--executor " + executor.name(), "interprets, which is for hosts",
                       "'" + options.target.name + "', which has no operating system", "a target with one, or aot");
  auto islands = make_islands(graph, options, diags);
  if (!islands) return failure;
  const WeightsOptions weights = std::exchange(options.weights, {});
  BoundConstants bound;
  if (!weights.file.empty()) bound = executor::detach_constants(islands->lowered.module, weights.least);
  if (!weights.file.empty() && bound.constants.empty())
    return diags.error({}, "--weights-blob", "no constant of the model can leave the bytecode",
                       "none of " + std::to_string(weights.least) + " bytes or more in what is interpreted");
  // Diagnostics about regions refer to it afterwards.
  const auto parts = std::make_shared<const ir::Graph>(std::move(islands->lowered.compiled));
  const ir::Graph& compiled = islands->whole ? graph : *parts;
  // Pins of nodes that are not in this graph have been heeded.
  std::erase_if(options.partition.pins,
                [&](const Pin& pin) { return !fits(pin, compiled) && fits(pin, islands->lowered.open); });
  options.step_table = true;
  options.reuse_inputs = false;  // inputs are values that others may read
  Execution execution{executor, &islands->lowered, islands->lowered.open_codegens};
  if (islands->whole) execution.placed = &*islands->whole;
  auto library = run_export(compiled, options, execution, diags);
  if (!library) return failure;
  if (!weights.file.empty()) {
    const std::string sha256 = options.model_file.empty() ? "" : sha256_of_file(options.model_file);
    if (!add_weights(std::move(bound), sha256, weights, *library, diags)) return failure;
  }
  library->tree.inputs = inputs_of(graph, options);
  Partition& partition = library->partition;
  partition.interpreted = std::move(islands->interpreted);
  partition.open = std::move(islands->open);
  if (!partition.graph && !islands->whole) partition.graph = parts;
  return library;
}

}  // namespace byoc
