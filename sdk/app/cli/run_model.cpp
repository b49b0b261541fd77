// Runs on this machine and on simulated boards.
#include <cstdio>

#include "sdk/app/cli/host_run.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/run/simulate/stats.hpp"
#include "sdk/run/values/fill.hpp"

namespace byoc::cli {
namespace {

void show_result(const ModelInterface& model, const TargetSpec& target, const RunResult& result) {
  show_outputs(model, result);
  show_rewrites(model.rewrites);
  std::fputs(stats_table(model, target, result).c_str(), stdout);
}

}  // namespace

template <class Library>
Result<RunResult> RunCommand::simulate(const Library& library, const ModelInterface& interface,
                                       const TargetSpec& target, const RunOptions& wanted,
                                       const std::vector<std::uint64_t>& times, Progress& progress,
                                       Diagnostics& diags) const {
  const auto tensors = read_tensors(interface, diags);
  if (!tensors) return failure;
  progress.stage("simulate");
  auto result = library.run(*tensors, wanted, diags);
  if (!result) return failure;
  progress.stage("report");
  if (!model.quiet && !result->outputs.empty()) show_result(interface, target, *result);
  if (!show_asked_for(interface, *result, times.empty() ? result->times : times, diags)) return failure;
  OutputSet files(diags, files_read());
  if (!add_results(interface, target, *tensors, *result, files, diags) || !flush_output(diags) || !files.commit())
    return failure;
  if (!model.quiet) show_places();
  if (!compare_references(interface, *result, diags)) return failure;
  return result;
}

Result<void> RunCommand::run(Diagnostics& diags) const {
  RunOptions wanted = options;
  wanted.dump = !dump_tensors.empty();
  wanted.profile = options.cycles || (!no_profile && shows_steps() && options.threads == 0);
  Progress progress(model.quiet);
  auto setup = model.resolve(progress, diags);
  if (!setup) return failure;
  setup->request.trace = wanted.profile || wanted.dump || wanted.compare || wanted.bisect;
  const auto loaded = model.load(*setup, progress, diags);
  if (!loaded || !check_places(loaded->inputs().size(), loaded->outputs().size(), diags)) return failure;
  if (ram_frontier) return run_frontier(*loaded, *setup, progress, diags);
  const auto compiled = CompiledModel::compile(*loaded, setup->codegens, setup->request, diags);
  if (!compiled) return suggest_work_dir(setup->request, diags);
  if (!setup->codegens.end(diags)) return failure;
  const auto times = repeat(*compiled, progress, diags);
  if (!times) return failure;
  wanted.repeat = 0;
  const auto result =
      simulate(*compiled, compiled->interface(), setup->codegens.target(), wanted, *times, progress, diags);
  if (!result) return failure;
  const bool good = !options.bisect || report_verdicts(compiled->interface(), result->verdicts, diags);
  if (result->comparison && !report_comparison(*result->comparison, diags)) return failure;
  return good ? Result<void>() : failure;
}

Result<void> RunCommand::run_exported(Diagnostics& diags) const {
  Progress progress(model.quiet);
  progress.stage("read");
  const auto exported = ExportedModel::open(model.model, model.target, diags);
  if (!exported) return failure;
  const ModelInterface& m = exported->interface();
  if (!check_places(m.inputs.size(), m.output_count(), diags)) return failure;
  RunOptions wanted = options;
  wanted.repeat = repetitions();
  wanted.dump = !dump_tensors.empty();
  wanted.profile = exported->executor() == "graph" && !no_profile && shows_steps();
  if (!simulate(*exported, m, exported->target(), wanted, {}, progress, diags)) return failure;
  return {};
}

std::uint32_t RunCommand::repetitions() const { return options.repeat != 0 ? options.repeat : print_time ? 1 : 0; }

Result<std::vector<std::uint64_t>> RunCommand::repeat(const CompiledModel& compiled, Progress& progress,
                                                      Diagnostics& diags) const {
  if (repetitions() == 0) return std::vector<std::uint64_t>();
  auto directory = TemporaryDirectory::create(diags);
  if (!directory) return failure;
  const std::string library = directory->path() + "/model.a";
  if (!compiled.write(library, diags)) return failure;
  const auto exported = ExportedModel::open(library, {}, diags);
  const auto tensors = exported ? read_tensors(exported->interface(), diags) : failure;
  if (!tensors) return failure;
  progress.stage("repeat");
  RunOptions wanted = options;
  wanted.repeat = repetitions();
  auto result = exported->run(*tensors, wanted, diags);
  if (!result) return failure;
  return std::move(result->times);
}

Result<void> RunCommand::run_interpreted(Diagnostics& diags) const {
  Progress progress(model.quiet);
  const auto program = host_program(model, weights, progress, diags);
  if (!program) return failure;
  progress.stage("run");
  HostRun run;
  run.inputs = inputs;
  run.fill = parse_fill(fill);
  run.output_dir = output_dir;
  run.output_form = output_form;
  run.how.reset = options.reset;
  run.top = top;
  run.references = references;
  run.bound = bound();
  run.how.repeat = repetitions();
  run.print_time = print_time;
  run.quiet = model.quiet;
  run.how.limits = limits;
  run.how.threads = options.threads;
  if (!run_host_program(*program, model.model, run, files_read(), diags)) return failure;
  if (!model.quiet) show_places();
  return {};
}

}  // namespace byoc::cli
