#include <filesystem>
#include <set>

#include "backends/c/backend.hpp"
#include "sdk/cli/commands.hpp"
#include "sdk/plugin/abi_codegen.hpp"
#include "sdk/plugin/loader.hpp"

namespace byoc::cli {
namespace {

// The reference backends are registered here, explicitly, after the user's plug-ins.
Result<std::vector<plugin::Plugin>> load_all(const std::vector<std::string>& names, Diagnostics& diags) {
  const std::vector<std::string> folders = plugin_folders();
  std::vector<plugin::Plugin> out;
  bool ok = true;
  for (const std::string& name : names) {
    auto loaded = plugin::load_plugin(name, folders, diags);
    ok = loaded && ok;
    if (loaded) out.push_back(std::move(*loaded));
  }
  auto reference = plugin::negotiate(c::query, "built in", diags);
  if (!ok || !reference) return failure;
  out.push_back(std::move(*reference));
  std::set<std::string> ids;
  for (const plugin::Plugin& p : out)
    if (!ids.insert(p.id).second) return diags.error(p.where, p.id, "two plug-ins have this id");
  return out;
}

}  // namespace

std::vector<std::string> plugin_folders() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string system = error ? "" : (program.parent_path().parent_path() / "lib/byoc/plugins").string();
  return plugin::search_path(system);
}

Result<std::shared_ptr<const CodegenSet>> make_codegens(const std::vector<std::string>& plugins,
                                                        const std::vector<std::string>& plugin_options,
                                                        const TargetSpec& target, Diagnostics& diags) {
  auto options = plugin::parse_options(plugin_options, diags);
  auto loaded = load_all(plugins, diags);
  if (!options || !loaded) return failure;
  auto out = std::make_shared<CodegenSet>();
  bool ok = true;
  for (const plugin::Plugin& p : *loaded) {
    auto created = plugin::create_codegen(p, target, (*options)[p.id], {}, diags);
    options->erase(p.id);
    ok = created && ok;
    if (!created) continue;
    out->order.push_back(created->get());
    out->owned.push_back(std::move(*created));
  }
  for (const auto& [id, unused] : *options) {
    ok = false;
    diags.error({}, "--plugin-option", "an option is for a plug-in that is not used", "'" + id + "'");
  }
  if (!ok) return failure;
  return std::shared_ptr<const CodegenSet>(std::move(out));
}

}  // namespace byoc::cli
