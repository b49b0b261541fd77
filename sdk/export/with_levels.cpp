#include "sdk/export/with_levels.hpp"

#include <algorithm>
#include <array>

#include "sdk/base/support/file.hpp"
#include "sdk/export/run_export.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc {
namespace {

constexpr std::array<std::string_view, 3> kLevels{"v2", "v3", "v4"};
constexpr const char* kMultiversion = "--multiversion";
constexpr std::int32_t kLowest = 2;

std::int32_t number_of(std::string_view level) {
  const auto* found = std::find(kLevels.begin(), kLevels.end(), level);
  return found == kLevels.end() ? 0 : kLowest + static_cast<std::int32_t>(found - kLevels.begin());
}

// Level of a target's CPU; 0: none of the numbered levels, the base architecture.
std::int32_t level_of(const TargetSpec& target) {
  constexpr std::string_view kStem = "x86-64-";
  const std::string_view cpu = target.cpu;
  return cpu.starts_with(kStem) ? number_of(cpu.substr(kStem.size())) : 0;
}

Result<void> check_target(const TargetSpec& target, Diagnostics& diags) {
  if (!target.triple.starts_with("x86_64") || !target.hosted)
    return diags.error({}, kMultiversion, "is of x86-64 with an operating system", target.name, "host, or x86-64-v2");
  if (target.cpu != "x86-64" && level_of(target) == 0)
    return diags.error({}, kMultiversion, "is for targets that are a level themselves", target.name,
                       "host, or x86-64-v2");
  return {};
}

// The levels of the request, ascending, without the target's own. Errors: no level, or one below the target.
Result<std::vector<std::string>> levels_of(const Job& job, Diagnostics& diags) {
  const std::int32_t own = level_of(job.target);
  std::vector<std::string> levels = job.request.multiversion;
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  for (const std::string& level : levels)
    if (const std::int32_t number = number_of(level); number == 0 || number < own)
      return diags.error({}, kMultiversion, number == 0 ? "is no level of x86-64" : "is below the target's own level",
                         level, number == 0 ? "v2, v3 or v4" : "one of " + job.target.name + " or above");
  std::erase_if(levels, [&](const std::string& level) { return number_of(level) == own; });
  return levels;
}

// The job of a level: the same model for another CPU, without anything that a library has once.
Result<Job> job_of_level(const Job& base, const std::string& level, Diagnostics& diags) {
  auto target = resolve_target("x86-64-" + level, diags);
  auto codegens = target ? base.codegens_of(*target, diags) : failure;
  if (!codegens) return failure;
  const ExportRequest& asked = base.request;
  return Job{.request = {.executor = asked.executor,
                         .compiler = asked.compiler,
                         .opt_level = asked.opt_level,
                         .encoding = asked.encoding,
                         .objective = asked.objective,
                         .max_ram = asked.max_ram,
                         .reuse_inputs = asked.reuse_inputs,
                         .partition = asked.partition,
                         .no_optimise = asked.no_optimise,
                         .progress = asked.progress},
             .name = base.name + "_" + level,
             .target = std::move(*target),
             .codegens = codegens->codegens,
             .owner = std::move(codegens->owner),
             .origins = std::move(codegens->origins),
             .limits = base.limits,
             .check_sources = base.check_sources,
             .compile_function = base.compile_function,
             .model_file = base.model_file,
             .cancelled = base.cancelled};
}

Result<executor::Level> compile_level(const ir::Graph& graph, const Job& base, const std::string& level,
                                      const executor::Executor& executor, Diagnostics& diags) {
  const auto job = job_of_level(base, level, diags);
  const auto folder = job ? TemporaryDirectory::create(diags) : failure;
  if (!folder) return failure;
  const auto library = run_export(graph, *job, plain_execution(*job, executor), diags);
  const std::string path = folder->path() + "/" + level + ".o";
  if (!library || !write_object(*library, path, diags)) return failure;
  const auto file = MappedFile::open(path, diags);
  if (!file) return failure;
  const auto bytes = (*file)->bytes();
  return executor::Level{number_of(level), library->interface(), {bytes.begin(), bytes.end()}};
}

}  // namespace

Result<Library> export_with_levels(const ir::Graph& graph, const Job& job, const executor::Executor& executor,
                                   Diagnostics& diags) {
  if (!check_target(job.target, diags)) return failure;
  const auto levels = levels_of(job, diags);
  if (!levels) return failure;
  std::vector<executor::Level> compiled;
  for (const std::string& level : *levels) {
    auto made = compile_level(graph, job, level, executor, diags);
    if (!made) return failure;
    compiled.push_back(std::move(*made));
  }
  Execution execution = plain_execution(job, executor);
  execution.levels = compiled;
  return run_export(graph, job, execution, diags);
}

}  // namespace byoc
