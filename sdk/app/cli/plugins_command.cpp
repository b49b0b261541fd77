#include <CLI/CLI.hpp>
#include <cstdio>
#include <set>

#include "sdk/app/api/codegens.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"
#include "sdk/codegen/plugin/abi/loader.hpp"

namespace byoc::cli {
namespace {

std::string abi_text(std::uint32_t major, std::uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

void print_line(const std::string& id, const std::string& version, const std::string& abi, const std::string& state) {
  std::printf("%-28s %-12s ABI %-6s %s\n", id.c_str(), version.c_str(), abi.c_str(), state.c_str());
}

const char* type_name(std::uint32_t type) {
  switch (type) {
    case BYOC_OPTION_BOOL: return "true|false";
    case BYOC_OPTION_INTEGER: return "integer";
    case BYOC_OPTION_REAL: return "number";
    case BYOC_OPTION_CHOICE: return "";
    default: return "text";
  }
}

void print_options(const plugin::Plugin& p) {
  for (std::uint32_t i = 0; i < p.table.option_count; ++i) {
    byoc_option_t o;
    if (!plugin::read_struct(p.table.options[i], o)) continue;
    std::string takes = type_name(o.type);
    for (const std::string& c : plugin::to_texts(o.choices, o.choice_count)) takes += (takes.empty() ? "" : "|") + c;
    std::printf("    %s.%s=<%s>  %s (default %s)\n", p.id.c_str(), plugin::to_text(o.name).c_str(), takes.c_str(),
                plugin::to_text(o.help).c_str(), plugin::to_text(o.default_value).c_str());
  }
}

void print_loaded(const plugin::Plugin& p) {
  print_line(p.id, p.version, abi_text(p.table.abi_major, p.table.abi_minor),
             plugin::to_text(p.table.name) + ", " + plugin::to_text(p.table.vendor) + ", " +
                 plugin::to_text(p.table.license) + ", " + p.where);
  print_options(p);
}

struct PluginsCommand {
  std::vector<std::string> plugins;
  bool load = false;

  Result<void> run(Diagnostics& diags) const {
    if (load) return show_loaded(diags);
    bool ok = true;
    for (const auto& reference : api::reference_plugins(diags)) {
      if (!reference) return failure;
      print_line(reference->id, reference->version, abi_text(BYOC_ABI_MAJOR, reference->abi_minor), "built in");
    }
    for (const std::string& name : plugins) {
      if (!name.ends_with(".json")) {
        diags.error(name, "--plugin", "only a manifest can be listed without loading; add --load to load the plug-in");
        ok = false;
        continue;
      }
      auto manifest = plugin::read_manifest(name, diags);
      ok = manifest && ok;
      if (manifest) print_manifest(*manifest, {});
    }
    if (plugins.empty()) list_installed(diags);
    return ok ? Result<void>() : failure;
  }

  Result<void> show_loaded(Diagnostics& diags) const {
    bool ok = true;
    if (plugins.empty())
      for (const auto& reference : api::reference_plugins(diags))
        if (reference) print_loaded(*reference);
    for (const std::string& name : plugins) {
      auto loaded = plugin::load_plugin(name, api::plugin_folders(), diags);
      ok = loaded && ok;
      if (loaded) print_loaded(*loaded);
    }
    return ok ? Result<void>() : failure;
  }

  static void print_manifest(const plugin::Manifest& m, const std::string& hidden) {
    std::string state = plugin::why_not(m);
    if (!state.empty()) state = "cannot be used: " + state;
    if (state.empty()) state = hidden.empty() ? m.library : "hidden by one before it: " + m.path;
    print_line(m.id, m.version, abi_text(m.abi_major, m.abi_minor), state);
  }

  // A broken manifest in one of the folders is a warning: it is nobody's wish that fails.
  static void list_installed(Diagnostics& diags) {
    std::set<std::string> seen;
    for (const std::string& folder : api::plugin_folders()) {
      Diagnostics broken;
      for (const plugin::Manifest& m : plugin::find_manifests(folder, broken))
        print_manifest(m, seen.insert(m.id).second ? "" : folder);
      for (const Diagnostic& d : broken.all()) {
        Diagnostic warning = d;
        warning.level = Level::warning;
        diags.add(std::move(warning));
      }
    }
  }
};

}  // namespace

void add_plugins(CLI::App& app, Session& session) {
  auto options = std::make_shared<PluginsCommand>();
  CLI::App* command = app.add_subcommand("plugins", "list the installed plug-ins, without loading them");
  command->add_option("--plugin", options->plugins, "manifest to list instead; with --load also a .so or an id");
  command->add_flag("--load", options->load, "load the plug-ins and show their options");
  command->footer(
      "Plug-ins are looked for in the folders of BYOC_PLUGIN_PATH, in ~/.local/share/byoc/plugins and beside byoc.\n"
      "Example:\n  byoc plugins --plugin ./libacme.so --load");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
