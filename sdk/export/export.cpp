#include "sdk/export/export.hpp"

#include <algorithm>
#include <future>

#include "sdk/codegen/partition/place.hpp"
#include "sdk/export/build_library.hpp"
#include "sdk/export/export_files.hpp"
#include "sdk/export/fit_memory.hpp"
#include "sdk/export/generate.hpp"
#include "sdk/export/run_export.hpp"
#include "sdk/export/with_vm.hpp"
#include "sdk/export/without_names.hpp"
#include "sdk/library/compile/worker.hpp"
#include "sdk/library/object/file_hash.hpp"
#include "sdk/program/executor/executor.hpp"
#include "sdk/program/plan/open_calls.hpp"

namespace byoc {
namespace {

// codegen, plan.
Result<Planned> generate_and_plan(const optimise::Optimised& model, const ExportNames& names,
                                  const ExportOptions& options, const Execution& execution, Diagnostics& diags) {
  const auto& regions = model.partition.regions;
  const bool can_save = std::any_of(regions.begin(), regions.end(),
                                    [&](const PlacedRegion& r) { return options.codegens[r.codegen]->saves_memory(); });
  const GenerateRequest request{model,
                                options.codegens,
                                options.target,
                                options.objective,
                                names,
                                execution.executor.name(),
                                !options.weights.file.empty(),
                                execution.lowered};
  const auto attempt = [&](std::uint64_t budget, std::uint32_t n, Diagnostics& told) -> Result<Planned> {
    if (!begin_stage("codegen", options, told)) return failure;
    auto compilation = generate(request, budget, n, told);
    if (!compilation || !begin_stage("plan", options, told)) return failure;
    auto program = plan::make_program(*model.graph, *compilation, options.target, told, options.reuse_inputs);
    if (!program) return failure;
    if (execution.lowered != nullptr) {
      auto open = plan::open_calls(execution.lowered->open, *compilation, told);
      if (!open) return failure;
      program->open = std::move(*open);
    }
    return Planned{std::move(*compilation), std::move(*program)};
  };
  return fit_memory(*model.graph, {options.target, options.max_ram, can_save}, attempt, diags);
}

}  // namespace

Result<void> check_cancelled(const ExportOptions& options, Diagnostics& diags) {
  if (!options.cancelled || !options.cancelled()) return {};
  return diags.error({}, {}, "the export was cancelled");
}

Result<void> begin_stage(std::string_view stage, const ExportOptions& options, Diagnostics& diags) {
  if (!check_cancelled(options, diags)) return failure;
  if (options.progress) options.progress(stage);
  return {};
}

Result<Library> run_export(const ir::Graph& graph, const ExportOptions& options, const Execution& execution,
                           Diagnostics& diags) {
  const ExportNames names = names_of(options.name);
  // Computed in parallel, because it takes seconds for a model of a gigabyte.
  std::future<std::string> sha256;
  if (!options.model_file.empty())
    sha256 = std::async(std::launch::async, [path = options.model_file] { return sha256_of_file(path); });

  // Every node has a codegen, or the model is refused here with everyone's reasons.
  if (!begin_stage("partition", options, diags)) return failure;
  auto placed = execution.placed != nullptr ? Result<Partition>(*execution.placed)
                                            : make_partition(graph, options.codegens, options.target, options.partition,
                                                             diags, !options.weights.file.empty(), execution.elsewhere);
  if (!placed) return failure;

  // Every region is its codegen's for good. Values inside may get another shape here, values at borders do not.
  if (!begin_stage("optimise", options, diags)) return failure;
  auto model = optimise::rewrite(graph_of(*placed, graph), *placed, options.codegens, options.target,
                                 {options.no_optimise}, diags);
  if (!model) return failure;

  // Codegens are asked again where the plan does not fit and they can do with less.
  auto planned = generate_and_plan(*model, names, options, execution, diags);
  if (!planned) return failure;

  // Beyond this point no codegen is asked, and no new symbol is added but <prefix>_run and its like.
  if (!begin_stage("compile", options, diags)) return failure;
  auto library = build_library({*model, *planned, names, options, execution}, std::move(sha256), diags);
  if (!library) return failure;
  library->partition = std::move(*placed);
  library->tree.inputs = inputs_of(graph, options);
  return library;
}

Result<Library> export_with_executor(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags) {
  const auto named = options.printer == nullptr ? executor::find_executor(options.executor, diags) : options.printer;
  if (!named) return failure;
  if ((*named)->interprets()) return export_with_vm(graph, options, **named, diags);
  return run_export(graph, options, {**named}, diags);
}

Result<Library> compile_model(const ir::Graph& graph, const ExportOptions& options, Diagnostics& diags) {
  const compile::KeptWorkers kept;
  if (!options.names_map.empty()) return export_without_names(graph, options, export_with_executor, diags);
  return export_with_executor(graph, options, diags);
}

}  // namespace byoc
