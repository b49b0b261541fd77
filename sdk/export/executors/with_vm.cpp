#include "sdk/export/with_vm.hpp"

#include <utility>

#include "sdk/codegen/partition/asked.hpp"
#include "sdk/export/executors/islands.hpp"
#include "sdk/export/export_files.hpp"
#include "sdk/export/run_export.hpp"
#include "sdk/library/object/file_hash.hpp"
#include "sdk/program/executor/executor.hpp"
#include "sdk/program/executor/vm/late_constants.hpp"
#include "sdk/program/executor/vm/vm.hpp"

namespace byoc {
namespace {

// The partition of the compiled parts. Pins of nodes that are beside them have been heeded.
Result<Partition> place_islands(const ir::Graph& compiled, const Islands& islands, const Job& job, Diagnostics& diags) {
  PartitionOptions wanted = job.request.partition;
  std::erase_if(wanted.pins, [&](const Pin& pin) { return !fits(pin, compiled) && fits(pin, islands.lowered.open); });
  auto asked = islands.offers ? Result<Asked>(Asked{.offers = {{&compiled, *islands.offers}}})
                              : ask_codegens(compiled, job.codegens, job.target, wanted, diags);
  if (!asked) return failure;
  return place_asked(compiled, std::move(*asked), job.codegens, job.target, wanted, diags, false,
                     islands.lowered.open_codegens);
}

}  // namespace

Result<Library> export_with_vm(const ir::Graph& graph, const Job& job, const executor::Executor& executor,
                               Diagnostics& diags) {
  if (!job.target.hosted)
    return diags.error({}, "--executor " + executor.name(), "interprets, which is for hosts",
                       "'" + job.target.name + "', which has no operating system", "a target with one, or aot");
  if (!begin_stage("partition", job, diags)) return failure;
  auto islands = make_islands(graph, job, diags);
  if (!islands) return failure;
  const WeightsOptions& weights = job.request.weights;
  BoundConstants bound;
  if (!weights.file.empty()) bound = executor::detach_constants(islands->lowered.module, weights.least);
  if (!weights.file.empty() && bound.constants.empty())
    return diags.error({}, "--weights-blob", "no constant of the model can leave the bytecode",
                       "none of " + std::to_string(weights.least) + " bytes or more in what is interpreted");
  // Diagnostics about regions refer to it afterwards.
  const auto compiled = std::make_shared<const ir::Graph>(std::move(islands->lowered.compiled));
  const auto placed =
      islands->whole ? Result<Partition>(std::move(*islands->whole)) : place_islands(*compiled, *islands, job, diags);
  if (!placed) return failure;
  const executor::Vm vm(&islands->lowered);
  const plan::OpenNodes open{islands->lowered.open, islands->lowered.open_codegens};
  // Inputs are values that others may read: they are not reused.
  auto library = run_export(islands->whole ? graph : *compiled, job,
                            {.executor = vm, .step_table = true, .open = &open, .placed = &*placed}, diags);
  if (!library) return failure;
  if (!weights.file.empty()) {
    const std::string sha256 = job.model_file.empty() ? "" : sha256_of_file(job.model_file);
    if (!add_weights(std::move(bound), sha256, weights, library->description->interface, *library, diags))
      return failure;
  }
  library->tree.inputs = inputs_of(graph, job);
  Partition& partition = library->partition;
  partition.interpreted = std::move(islands->interpreted);
  partition.open = std::move(islands->open);
  if (!partition.graph && !islands->whole) partition.graph = compiled;
  return library;
}

}  // namespace byoc
