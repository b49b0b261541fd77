// `byoc run --ram-frontier`: the same model under bounds of RAM, one after the other.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "sdk/app/cli/page_facts.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/run/simulate/frontier.hpp"

namespace byoc::cli {
namespace {

constexpr std::size_t kPoints = 10;

std::uint64_t ram_of(const ModelInterface& model) {
  std::uint64_t bytes = model.all_workspace_bytes() + model.instance_bytes;
  for (const auto* tensors : {&model.inputs, &model.outputs})
    for (const IoTensor& t : *tensors) bytes += t.bytes;
  return bytes;
}

std::uint64_t time_of(const RunResult& result) {
  if (!result.step_cycles.empty())
    return std::accumulate(result.step_cycles.begin(), result.step_cycles.end(), std::uint64_t{0});
  return result.instructions.value_or(result.nanoseconds.value_or(0));
}

const char* unit_of(const RunResult& result) {
  return !result.step_cycles.empty() ? "cycles" : result.instructions ? "instructions" : "nanoseconds";
}

}  // namespace

Result<void> RunCommand::run_frontier(const Model& loaded, ModelSetup& setup, Progress& progress,
                                      Diagnostics& diags) const {
  ExportRequest request = setup.request;
  const auto compile = [&](std::uint64_t bound, Diagnostics& told) {
    request.max_ram = bound;
    return CompiledModel::compile(loaded, setup.codegens, request, told);
  };
  const auto widest = compile(0, diags);
  if (!widest) return failure;
  const auto tensors = read_tensors(widest->interface(), diags);
  if (!tensors) return failure;

  // The least by halving: a bound that no plan holds is an error, which says nothing here.
  const std::uint64_t most = ram_of(widest->interface());
  std::uint64_t none = 0, least = most;
  while (none + std::max<std::uint64_t>(most / 128, 8) < least) {
    Diagnostics untold;
    const std::uint64_t middle = none + (least - none) / 2;
    const auto tried = compile(middle, untold);
    if (tried)
      least = std::min(middle, ram_of(tried->interface()));
    else
      none = middle;
  }

  RunOptions wanted = options;
  wanted.profile = options.cycles;
  Frontier frontier{widest->interface().name, setup.codegens.target().name, {}, {}};
  std::vector<FrontierPoint> points;
  for (const std::uint64_t bound : frontier_bounds(least, most, kPoints)) {
    Diagnostics untold;
    const auto compiled = compile(bound, untold);
    if (!compiled) continue;
    const std::uint64_t ram = ram_of(compiled->interface());
    if (std::any_of(points.begin(), points.end(), [&](const FrontierPoint& p) { return p.ram == ram; })) continue;
    progress.stage("simulate");
    const auto result = compiled->run(*tensors, wanted, diags);
    if (!result) return failure;
    frontier.unit = unit_of(*result);
    points.push_back({ram, time_of(*result), result->flash.total()});
  }
  if (!setup.codegens.end(diags)) return failure;
  frontier.points = best_of(std::move(points));
  progress.stage("report");
  if (!model.quiet) std::fputs(frontier_table(frontier).c_str(), stdout);
  OutputSet files(diags, files_read());
  if (!report.empty() &&
      !files.add(report, page_with_facts(frontier_page(frontier), *command, model.model, &setup.codegens.target())))
    return failure;
  return files.commit();
}

}  // namespace byoc::cli
