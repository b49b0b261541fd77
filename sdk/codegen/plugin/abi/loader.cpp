#include "sdk/codegen/plugin/abi/loader.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "sdk/codegen/codegen/running.hpp"
#include "sdk/codegen/plugin/abi/abi_values.hpp"
#include "sdk/codegen/plugin/abi/shared_object.hpp"

namespace byoc::plugin {
namespace {

// Null where the program runs with more rights than its user: then nobody may choose code for it through a variable.
const char* environment(const char* name) { return ::secure_getenv(name); }

Result<Plugin> load_library(const std::string& path, Diagnostics& diags) {
  auto symbols = read_shared_object(path, diags);
  if (!symbols || !check_symbols(*symbols, path, diags)) return failure;
  const auto in_process = [](const std::string& symbol) { return ::dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr; };
  if (!check_runtimes(*symbols, path, in_process, diags)) return failure;
  // A name without a slash would be looked for elsewhere.
  const std::string file = std::filesystem::absolute(path).string();
  static const std::string kUnknown = "the plug-in";  // it has told no id yet
  const RunningCall loading(path, kUnknown, "while it was loaded");
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    for (const auto& [version, library] :
         {std::pair("GLIBCXX_", "C++ runtime"), std::pair("CXXABI_", "C++ runtime"), std::pair("GLIBC_", "C library")})
      if (why != nullptr && std::strstr(why, version) != nullptr)
        return diags.error(path, {},
                           std::string("plug-in cannot be used: it needs a newer ") + library + " than is here", why,
                           "one that is built on the oldest system that it is for");
    return diags.error(path, {}, "plug-in cannot be loaded", why == nullptr ? "no reason" : why);
  }
  void* address = ::dlsym(handle, BYOC_PLUGIN_QUERY_SYMBOL);
  if (address == nullptr) return diags.error(path, {}, "plug-in cannot be used: it has no query function");
  byoc_plugin_query_fn query = nullptr;
  static_assert(sizeof query == sizeof address);
  std::memcpy(&query, &address, sizeof query);
  return negotiate(query, path, diags);
}

Result<Plugin> load_manifest(const Manifest& manifest, Diagnostics& diags) {
  if (const std::string why = why_not(manifest); !why.empty())
    return diags.error(manifest.path, {}, "plug-in '" + manifest.id + "' cannot be used: " + why);
  auto plugin = load_library(manifest.library, diags);
  if (!plugin) return failure;
  const auto differ = [&](const char* what, const std::string& said, const std::string& is) {
    if (said != is) diags.error(manifest.path, what, "the manifest and the library do not say the same", said, is);
    return said != is;
  };
  bool wrong = differ("id", manifest.id, plugin->id);
  wrong = differ("version", manifest.version, plugin->version) || wrong;
  wrong = differ("abi minor", std::to_string(manifest.abi_minor), std::to_string(plugin->table.abi_minor)) || wrong;
  if (wrong) return failure;
  return plugin;
}

}  // namespace

std::vector<std::string> search_path(const std::string& system) {
  std::vector<std::string> out;
  if (const char* variable = environment("BYOC_PLUGIN_PATH")) {
    std::string rest = variable;
    for (std::size_t colon = 0; !rest.empty(); rest = colon == std::string::npos ? "" : rest.substr(colon + 1)) {
      colon = rest.find(':');
      if (colon != 0) out.push_back(rest.substr(0, colon));
    }
  }
  if (const char* data = environment("XDG_DATA_HOME"); data != nullptr && *data == '/')
    out.push_back(std::string(data) + "/byoc/plugins");
  else if (const char* home = environment("HOME"); home != nullptr && *home == '/')
    out.push_back(std::string(home) + "/.local/share/byoc/plugins");
  if (!system.empty()) out.push_back(system);
  return out;
}

Result<Plugin> load_plugin(const std::string& what, const std::vector<std::string>& folders, Diagnostics& diags) {
  if (what.ends_with(".json")) {
    auto manifest = read_manifest(what, diags);
    if (!manifest) return failure;
    return load_manifest(*manifest, diags);
  }
  if (what.ends_with(".so") || what.find('/') != std::string::npos) return load_library(what, diags);
  std::string looked;
  for (const std::string& folder : folders) {
    std::optional<Manifest> found;
    Diagnostics broken;  // other plug-ins' manifests are not what the user asked about
    for (const Manifest& m : find_manifests(folder, broken)) {
      if (m.id != what) continue;
      if (found)
        return diags.error(folder, what, "two manifests are of this plug-in", found->path + " and " + m.path,
                           "one in a folder");
      found = m;
    }
    if (found) return load_manifest(*found, diags);
    looked += (looked.empty() ? "" : ", ") + folder;
  }
  return diags.error({}, what, "there is no such plug-in",
                     looked.empty() ? "no folder to look in" : "none in " + looked,
                     "a path, or the id of an installed plug-in ('byoc plugins' lists them)");
}

}  // namespace byoc::plugin
