#include "sdk/export/export.hpp"

#include <algorithm>
#include <future>

#include "sdk/export/build_library.hpp"
#include "sdk/export/executors.hpp"
#include "sdk/export/export_files.hpp"
#include "sdk/export/fit_memory.hpp"
#include "sdk/export/generate.hpp"
#include "sdk/export/place_and_optimise.hpp"
#include "sdk/export/run_export.hpp"
#include "sdk/export/with_levels.hpp"
#include "sdk/export/with_vm.hpp"
#include "sdk/export/without_names.hpp"
#include "sdk/library/compile/worker.hpp"
#include "sdk/library/object/file_hash.hpp"
#include "sdk/program/plan/open_calls.hpp"

namespace byoc {
namespace {

// codegen, plan.
Result<Planned> generate_and_plan(const optimise::Optimised& model, const ExportNames& names, const Job& job,
                                  const Execution& execution, Diagnostics& diags) {
  const bool can_save = std::ranges::any_of(model.partition.regions,
                                            [&](const auto& r) { return job.codegens[r.codegen]->saves_memory(); });
  const GenerateRequest request{model,
                                job.codegens,
                                job.target,
                                job.request.objective,
                                names,
                                execution.executor.name(),
                                execution.bind_constants,
                                job.request.steps.resumable,
                                execution.open};
  const auto attempt = [&](std::uint64_t budget, std::uint32_t n, Diagnostics& told) -> Result<Planned> {
    if (!begin_stage("codegen", job, told)) return failure;
    auto compilation = generate(request, budget, n, told);
    if (!compilation || !begin_stage("plan", job, told)) return failure;
    auto program = plan::make_program(*model.graph, *compilation, job.target, told, execution.reuse_inputs);
    if (!program) return failure;
    if (execution.open != nullptr) {
      auto open = plan::open_calls(execution.open->graph, *compilation, told);
      if (!open) return failure;
      program->open = std::move(*open);
    }
    return Planned{std::move(*compilation), std::move(*program)};
  };
  return fit_memory(*model.graph, {job.target, job.request.max_ram, can_save}, attempt, diags);
}

}  // namespace

Result<void> check_cancelled(const Job& job, Diagnostics& diags) {
  if (!job.cancelled || !job.cancelled()) return {};
  return diags.error({}, {}, "the export was cancelled");
}

Result<void> begin_stage(std::string_view stage, const Job& job, Diagnostics& diags) {
  if (!check_cancelled(job, diags)) return failure;
  if (job.request.progress) job.request.progress(stage);
  return {};
}

Execution plain_execution(const Job& job, const executor::Executor& executor) {
  return {.executor = executor,
          .step_table = job.request.step_table,
          .reuse_inputs = job.request.reuse_inputs,
          .bind_constants = !job.request.weights.file.empty()};
}

Result<Library> run_export(const ir::Graph& graph, const Job& job, const Execution& execution, Diagnostics& diags) {
  const ExportNames names = names_of(job.name);
  // Computed in parallel, because it takes seconds for a model of a gigabyte.
  std::future<std::string> sha256;
  if (!job.model_file.empty())
    sha256 = std::async(std::launch::async, [path = job.model_file] { return sha256_of_file(path); });

  // Every node has a codegen, or the model is refused here with everyone's reasons; every region is its codegen's for
  // good.
  auto placed = place_and_optimise(graph, job, execution.bind_constants, execution.placed, diags);
  if (!placed) return failure;
  const optimise::Optimised& model = placed->optimised;

  // Codegens are asked again where the plan does not fit and they can do with less.
  auto planned = generate_and_plan(model, names, job, execution, diags);
  if (!planned) return failure;

  // Beyond this point no codegen is asked, and no new symbol is added but <prefix>_run and its like.
  if (!begin_stage("compile", job, diags)) return failure;
  auto library = build_library({model, *planned, names, job, execution}, std::move(sha256), diags);
  if (!library) return failure;
  library->partition = std::move(placed->partition);
  library->tree.inputs = inputs_of(graph, job);
  return library;
}

Result<Library> export_with_executor(const ir::Graph& graph, const Job& job, Diagnostics& diags) {
  const auto named = job.executor == nullptr ? executor::find_executor(job.request.executor, diags) : job.executor;
  if (!named) return failure;
  if ((*named)->interprets()) return export_with_vm(graph, job, **named, diags);
  if (!job.request.multiversion.empty()) return export_with_levels(graph, job, **named, diags);
  return run_export(graph, job, plain_execution(job, **named), diags);
}

Result<Library> compile_model(const ir::Graph& graph, const Job& job, Diagnostics& diags) {
  const compile::KeptWorkers kept;
  if (!job.request.names.map.empty()) return export_without_names(graph, job, export_with_executor, diags);
  return export_with_executor(graph, job, diags);
}

}  // namespace byoc
