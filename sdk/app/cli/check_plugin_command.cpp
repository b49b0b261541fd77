#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "sdk/app/api/codegens.hpp"
#include "sdk/app/check/check.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/page_facts.hpp"
#include "sdk/app/cli/visible_output.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::cli {
namespace {

constexpr const char* kFirst = "host";

struct CheckPluginCommand {
  const CLI::App* command = nullptr;
  std::string plugin;
  std::string target;
  std::string junit;
  std::string page;
  std::vector<std::string> plugin_options;
  std::vector<std::string> libraries;
  check::CheckOptions options;
  std::uint64_t memory = 6144;  // MiB
  bool list = false;
  bool quiet = false;

  Result<void> run(Diagnostics& diags) {
    if (list) return show_list();
    if (plugin.empty()) return diags.error({}, "PLUGIN", "a plug-in is needed", {}, "a .so, a manifest, or an id");
    std::vector<std::string> files_read = libraries;
    files_read.push_back(plugin);
    std::vector<OutputName> outputs;
    for (const std::string& file : {junit, page})
      if (!file.empty()) outputs.push_back({file});
    const std::vector<FileStamp> inputs = stamps_of(files_read);
    if (!check_outputs(inputs, outputs, diags)) return failure;
    auto given = plugin::parse_options(plugin_options, diags);
    if (!given) return failure;
    // The id is the plug-in's own, which is only known when it is loaded.
    for (const auto& [id, texts] : *given) options.options.insert(texts.begin(), texts.end());
    options.plugin = plugin;
    options.folders = api::plugin_folders();
    options.reference = api::reference_query();
    options.limits.memory = memory << 20;
    for (const std::string& l : libraries) options.link.push_back(std::filesystem::absolute(l).string());
    auto spec = target.empty() ? check::choose_target(options, candidates(), diags) : resolve_target(target, diags);
    if (!spec) return failure;
    if (target.empty() && spec->name != kFirst && !quiet)
      std::fprintf(stderr, "note: the plug-in refuses target '%s'; it is checked for '%s'\n", kFirst,
                   spec->name.c_str());
    options.target = *spec;
    const bool shows = !quiet && ::isatty(STDERR_FILENO) == 1;
    if (shows)
      options.progress = [](const check::CheckInfo& c) {
        clear_line();
        std::fprintf(stderr, "%s", c.name.c_str());
      };
    auto report = check::check_plugin(options, diags);
    if (shows) clear_line();
    if (!report) return failure;
    for (const auto& [id, unused] : *given)
      if (!report->id.empty() && id != report->id)
        return diags.error({}, "--plugin-option", "an option is for a plug-in that is not checked", "'" + id + "'",
                           "'" + report->id + "'");
    if (!quiet) std::fputs(check::report_text(*report).c_str(), stdout);
    OutputSet files(diags, inputs);
    if (!junit.empty() && !files.add(junit, check::report_junit(*report))) return failure;
    if (!page.empty() && !files.add(page, page_with_facts(check::report_page(*report), *command, plugin)))
      return failure;
    if (!flush_output(diags) || !files.commit()) return failure;
    const std::size_t failed = report->count(check::CheckResult::State::failed);
    if (failed == 0) return {};
    return diags.error(plugin, report->id, "the plug-in does not keep what it has to",
                       std::to_string(failed) + (failed == 1 ? " check" : " checks") + " failed", "0");
  }

  // This machine, where nothing else is needed, before what is simulated.
  static std::vector<TargetSpec> candidates() {
    std::vector<TargetSpec> all = known_targets();
    std::stable_partition(all.begin(), all.end(), [](const TargetSpec& t) { return t.name == kFirst; });
    return all;
  }

  static Result<void> show_list() {
    for (const check::CheckInfo& c : check::list_checks())
      std::printf("%-14s %-13s %-12s %s\n", c.name.c_str(), c.group.c_str(), c.requirements.c_str(), c.title.c_str());
    return {};
  }
};

}  // namespace

extern const Service kCheckService{"check", [](Worker::Channel& channel, std::string_view arguments) {
                                     check::serve(channel, arguments, api::reference_query());
                                   }};

void add_check_plugin(CLI::App& app, Session& session) {
  auto o = std::make_shared<CheckPluginCommand>();
  CLI::App* command =
      app.add_subcommand("check-plugin", "check that a plug-in keeps what docs/plugin-abi.md asks of it");
  o->command = command;
  command->add_option("plugin", o->plugin, "plug-in: a .so, a manifest, or an id");
  command->add_option("--target", o->target,
                      "target that its code is compiled for and run on; default: host, or the "
                      "first that the plug-in takes");
  command->add_option("--plugin-option", o->plugin_options, "ID.NAME=VALUE, as for 'byoc export'; may be repeated");
  command
      ->add_option("--link", o->libraries, "object or static library that its code needs, as a driver; may be repeated")
      ->check(CLI::ExistingFile);
  command->add_option("--junit", o->junit, "write the results as JUnit XML");
  command->add_option("--report", o->page, "write the results as a page for people: R.html")->check(check_page_name);
  command->add_option("--only", o->options.only, "only this check; may be repeated");
  command->add_option("--skip", o->options.skip, "leave this check out; may be repeated");
  command->add_option("--graphs", o->options.size.graphs, "random graphs of what it claims")->capture_default_str();
  command->add_option("--shapes", o->options.size.shapes, "graphs of each operator and pattern that it claims")
      ->capture_default_str();
  command->add_option("--seed", o->options.size.seed, "of the random graphs")->capture_default_str();
  command
      ->add_option("--model", o->options.size.models,
                   "model whose regions that it claims are run, too; may be repeated")
      ->check(CLI::ExistingFile);
  command->add_flag("--strict", o->options.strict, "what it claims and nothing ran is an error");
  command->add_option("--timeout", o->options.limits.seconds, "seconds that one check may take")->capture_default_str();
  command->add_option("--memory", o->memory, "MiB that one check may take")->capture_default_str();
  command->add_flag("--list", o->list, "list the checks and the requirements that they hold");
  command->add_flag("-q,--quiet", o->quiet, "say nothing but errors");
  command->footer(
      "Example:\n  byoc check-plugin ./hello.so --target cortex-m4f --junit hello.xml\n"
      "  byoc check-plugin ./hello.so --model kws.tflite --strict");
  command->callback([o, &session] { session.action = [o, &session] { return o->run(session.diags); }; });
}

}  // namespace byoc::cli
