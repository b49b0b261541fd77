#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "sdk/app/api/codegens.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"
#include "sdk/codegen/plugin/isolate/isolated_codegen.hpp"
#include "sdk/codegen/plugin/record/replay.hpp"

namespace byoc::cli {
namespace {

using plugin::Ask, plugin::RecordedCall, plugin::RecordedSaying, plugin::ReplayedCall, plugin::SessionRecord;

struct ReplayCommand {
  std::string file;
  std::string plugin;
  std::vector<std::string> plugin_options;
  PluginChoice choice;
  std::uint64_t memory = 4096;  // MiB
  bool same = false;
  bool quiet = false;

  Result<void> run(Diagnostics& diags) const {
    auto text = read_text(file, diags);
    if (!text) return failure;
    const auto record = plugin::read_record(*text, file, diags);
    if (!record) return failure;
    if (plugin.empty()) return show(*record), Result<void>();
    const auto regions = plugin::ReplayedRegions::create(*record, file, diags);
    if (!regions) return failure;
    auto codegen = create(*record, diags);
    if (!codegen) return failure;
    const std::vector<ReplayedCall> calls = plugin::replay(*record, *regions, std::move(*codegen), file, diags);
    return tell(*record, calls, diags);
  }

  [[nodiscard]] Result<std::unique_ptr<codegen::Codegen>> create(const SessionRecord& record,
                                                                 Diagnostics& diags) const {
    auto given = plugin::parse_options(plugin_options, diags);
    if (!given) return failure;
    plugin::OptionTexts options = record.options;
    for (const auto& [id, texts] : *given)
      for (const auto& [name, value] : texts) options[name] = value;
    const auto check = [&](const std::string& id) -> Result<void> {
      if (id == record.id) return {};
      return diags.error(plugin, {}, "is another plug-in than the one that was recorded", "'" + id + "'",
                         "'" + record.id + "'");
    };
    if (choice.isolate) {
      auto loaded = plugin::IsolatedPlugin::load({plugin, api::plugin_folders()}, record.target,
                                                 {choice.seconds, memory << 20}, diags);
      if (!loaded || !check((*loaded)->id())) return failure;
      return (*loaded)->create_codegen(options, {});
    }
    const auto loaded = plugin::load_plugin(plugin, api::plugin_folders(), diags);
    if (!loaded || !check(loaded->id)) return failure;
    return plugin::create_codegen(*loaded, record.target, options, {}, diags);
  }

  Result<void> tell(const SessionRecord& record, const std::vector<ReplayedCall>& calls, Diagnostics& diags) const {
    std::size_t differences = 0;
    bool ok = calls.size() == record.calls.size();
    for (const ReplayedCall& c : calls) {
      differences += c.differences.size() + (c.ok != c.was_ok ? 1 : 0);
      ok = ok && c.ok;
      if (quiet) continue;
      const char* const then = c.was_ok ? "" : " (it failed when it was recorded)";
      std::printf("%s: %s%s\n", c.name.c_str(), c.ok ? "ok" : "FAILED", c.ok == c.was_ok && c.ok ? "" : then);
      for (const std::string& d : c.differences) std::printf("  %s\n", d.c_str());
    }
    if (!quiet && differences == 0 && ok) std::printf("the plug-in says what it said\n");
    if (!ok && !diags.has_errors()) return diags.error({Level::error, file, {}, "failed", {}, {}, record.id});
    if (same && differences != 0)
      return diags.error({Level::error, file, "--same", "says other things than it said",
                          std::to_string(differences) + (differences == 1 ? " difference" : " differences"), "none",
                          record.id});
    return ok ? Result<void>() : failure;
  }

  void show(const SessionRecord& record) const {
    std::printf("plug-in '%s' %s, recorded by %s for target '%s'\n", record.id.c_str(), record.version.c_str(),
                record.host.c_str(), record.target.name.c_str());
    for (const auto& [name, value] : record.options) std::printf("option %s=%s\n", name.c_str(), value.c_str());
    if (record.kept == 0)
      std::printf("constants: hashes\n");
    else
      std::printf("constants: contents of up to %llu bytes, hashes of the others\n",
                  static_cast<unsigned long long>(record.kept));
    for (const RecordedCall& c : record.calls) {
      const codegen::Region& first = record.regions[c.regions[0]].region;
      std::printf("%s%s\n", plugin::call_name(c, record).c_str(), c.ok ? "" : ": FAILED");
      for (std::size_t n = 0; n < c.verdicts.size() && n < first.nodes.size(); ++n)
        std::printf("  %s '%s': %s\n", first.nodes[n].op.c_str(), first.nodes[n].name.c_str(),
                    c.verdicts[n].claimed ? "claimed" : c.verdicts[n].text.c_str());
      for (const RecordedSaying& s : c.said) std::printf("  %s%s\n", s.label.c_str(), s.refused ? ": refused" : "");
    }
  }
};

}  // namespace

void add_replay(CLI::App& app, Session& session) {
  auto o = std::make_shared<ReplayCommand>();
  CLI::App* command = app.add_subcommand(
      "replay", "play byoc's part of a session that --record wrote to a build of the plug-in, or show the session");
  command->add_option("record", o->file, "recorded session (.byocrec)")->required();
  command->add_option("--plugin", o->plugin, "plug-in: a .so, a manifest, or an id; without one the session is shown");
  command->add_option("--plugin-option", o->plugin_options,
                      "ID.NAME=VALUE, beside those that were recorded; may be repeated");
  command->add_flag("--isolate", o->choice.isolate,
                    "run the plug-in in a process of its own; without, under a debugger");
  command->add_option("--plugin-timeout", o->choice.seconds, "seconds that a call of an isolated plug-in may take")
      ->capture_default_str();
  command->add_option("--plugin-memory", o->memory, "MiB that an isolated plug-in may take")->capture_default_str();
  command->add_flag("--same", o->same, "what the plug-in says otherwise than it was recorded is an error");
  command->add_flag("-q,--quiet", o->quiet, "say nothing but errors");
  command->footer(
      "Examples:\n"
      "  byoc export kws.tflite --target cortex-m4f --plugin ./acme.so --record failure.byocrec -o kws.a\n"
      "  byoc replay failure.byocrec\n"
      "  gdb --args byoc replay failure.byocrec --plugin ./acme-debug.so");
  command->callback([o, &session] { session.action = [o, &session] { return o->run(session.diags); }; });
}

}  // namespace byoc::cli
