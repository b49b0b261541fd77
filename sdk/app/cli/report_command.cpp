// byoc report: two saved runs beside each other, and figures that were taken on a board.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/page_facts.hpp"
#include "sdk/app/cli/profile_log.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/library/pack/manifest.hpp"
#include "sdk/run/simulate/run_difference.hpp"
#include "sdk/run/simulate/stats.hpp"
#include "sdk/run/simulate/stats_page.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::cli {
namespace {

struct FromLog {
  const CLI::App* command = nullptr;
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
    const std::string figures = out.ends_with(".html")
                                    ? page_with_facts(stats_page(m, target, result), *command, manifest, &target)
                                    : stats_json(m, target, result);
    if (!files.add(out, figures)) return failure;
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

// A form that the difference of two runs is written in, by the end of the file's name.
struct DifferenceForm {
  std::string_view suffix;
  std::string (*write)(const RunDifference&);
};
constexpr DifferenceForm kForms[] = {
    {".html", difference_page}, {".md", difference_markdown}, {".txt", difference_text}};

struct Compare {
  std::string before, after, out;
  bool markdown = false;

  Result<void> run(Diagnostics& diags) const {
    if (before.empty() || after.empty())
      return diags.error({}, "report", "two saved runs are needed", before.empty() ? "none" : "one",
                         "BEFORE.json AFTER.json, which byoc run --stats wrote, or the command from-log");
    const auto first = read(before, diags), second = read(after, diags);
    if (!first || !second) return failure;
    const RunDifference difference = compare_runs(*first, *second);
    OutputSet files(diags, stamps_of(std::vector<std::string>{before, after}));
    if (!out.empty()) {
      const auto* form = std::ranges::find_if(kForms, [&](const DifferenceForm& f) { return out.ends_with(f.suffix); });
      if (form == std::end(kForms))
        return diags.error(out, "--output", "is of no known form", {}, "R.html, R.md or R.txt");
      if (!files.add(out, form->write(difference))) return failure;
    }
    std::fputs((markdown ? difference_markdown(difference) : difference_text(difference)).c_str(), stdout);
    if (!flush_output(diags)) return failure;
    return files.commit();
  }

  static Result<SavedRun> read(const std::string& file, Diagnostics& diags) {
    const auto text = read_text(file, diags);
    return text ? read_saved_run(*text, file, diags) : failure;
  }
};

void add_compare_runs(CLI::App& report, Session& session) {
  auto options = std::make_shared<Compare>();
  report.add_option("BEFORE", options->before, "a run that byoc run --stats BEFORE.json saved");
  report.add_option("AFTER", options->after, "another one: what grew, in all and by layer?");
  report.add_option("-o,--output", options->out, "also write the comparison: R.html, R.md or R.txt");
  report.add_flag("--markdown", options->markdown, "print it in Markdown, for a comment on a pull request");
  report.callback([options, &report, &session] {
    if (report.get_subcommands().empty()) session.action = [options, &session] { return options->run(session.diags); };
  });
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  CLI::App* report = app.add_subcommand("report", "compare two saved runs, or tell what a board measured");
  report->require_subcommand(0, 1);
  constexpr const char* kExample = "Example:\n  byoc report from-log uart.txt --manifest kws.json -o stats.json";
  report->footer(
      "Examples:\n  byoc report before.json after.json\n  byoc report before.json after.json --markdown -o diff.html\n"
      "  byoc report from-log uart.txt --manifest kws.json -o stats.json");
  add_compare_runs(*report, session);
  auto options = std::make_shared<FromLog>();
  CLI::App* command = report->add_subcommand(
      "from-log", "times of a model's steps, which byoc/rt/profile.h printed on a board's serial port");
  options->command = command;
  command->add_option("LOG", options->log, "what was received; other lines do not matter")->required();
  command->add_option("--manifest", options->manifest, "<model>.json, which the export wrote")->required();
  command->add_option("-o,--output", options->out,
                      "also write the figures: S.json, as byoc run --stats does, or R.html, as its --report");
  command->footer(kExample);
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
