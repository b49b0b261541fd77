// byoc report: figures that were taken elsewhere.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/profile_log.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/run/simulate/stats.hpp"
#include "sdk/run/simulate/stats_page.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::cli {
namespace {

struct FromLog {
  std::string log, manifest, out;

  Result<void> run(Diagnostics& diags) const {
    const auto text = read_text(log, diags);
    const auto described = read_text(manifest, diags);
    if (!text || !described) return failure;
    const auto model = read_manifest(*described, manifest, diags);
    if (!model) return failure;
    const ModelInterface& m = model->interface;
    const auto profile = read_profile_log(*text, m.prefix, log, diags);
    if (!profile || !check_steps(*profile, m, diags)) return failure;
    RunResult result;
    std::uint64_t all = 0;
    for (const std::uint64_t n : profile->counts) all += n;
    if (profile->unit == "cycles") {
      result.step_cycles = profile->counts;
    } else {
      result.step_counts = profile->counts;
      (profile->unit == "instructions" ? result.instructions : result.nanoseconds) = all;
    }
    result.flash.weights = m.weight_bytes;
    result.ram.workspace = m.all_workspace_bytes() + m.instance_bytes;
    TargetSpec target;
    target.name = model->target.name;
    std::fputs(stats_table(m, target, result).c_str(), stdout);
    std::printf("run %zu of the log; it says nothing of code, data and stack\n", profile->runs);
    if (!flush_output(diags)) return failure;
    if (out.empty()) return {};
    OutputSet files(diags, stamps_of(std::vector<std::string>{log, manifest}));
    const bool page = out.ends_with(".html");
    if (!files.add(out, page ? stats_page(m, target, result) : stats_json(m, target, result))) return failure;
    return files.commit();
  }

  // The steps that ran are those of the manifest.
  Result<void> check_steps(const ProfileLog& profile, const ModelInterface& m, Diagnostics& diags) const {
    if (profile.counts.size() != m.steps.size())
      return diags.error(log, m.prefix, "is of another export than the manifest",
                         std::to_string(profile.counts.size()) + " steps", std::to_string(m.steps.size()));
    for (std::size_t i = 0; i < m.steps.size(); ++i)
      if (profile.symbols[i] != m.steps[i].symbol)
        return diags.error(log, "step " + std::to_string(i), "is of another export than the manifest",
                           profile.symbols[i], m.steps[i].symbol);
    return {};
  }
};

}  // namespace

void add_report(CLI::App& app, Session& session) {
  CLI::App* report = app.add_subcommand("report", "make tables of figures that were taken elsewhere");
  report->require_subcommand(1);
  constexpr const char* kExample = "Example:\n  byoc report from-log uart.txt --manifest kws.json -o stats.json";
  report->footer(kExample);
  auto options = std::make_shared<FromLog>();
  CLI::App* command = report->add_subcommand(
      "from-log", "times of a model's steps, which byoc/rt/profile.h printed on a board's serial port");
  command->add_option("LOG", options->log, "what was received; other lines do not matter")->required();
  command->add_option("--manifest", options->manifest, "<model>.json, which the export wrote")->required();
  command->add_option("-o,--output", options->out,
                      "also write the figures: S.json, as byoc run --stats does, or R.html, as its --report");
  command->footer(kExample);
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
