// Finding and loading plug-ins.
#pragma once

#include <string>
#include <vector>

#include "sdk/codegen/plugin/abi/manifest.hpp"
#include "sdk/codegen/plugin/abi/negotiate.hpp"

namespace byoc::plugin {

// Folders with manifests, in the order in which an id is looked for: those of BYOC_PLUGIN_PATH (':' between them;
// ignored when the program runs with raised privileges), the user's, then `system`.
[[nodiscard]] std::vector<std::string> search_path(const std::string& system);

// `what` is a shared object (a path with a '/' or ending in ".so"), a manifest (ends in ".json"), or an id to look for.
// The file's symbols are checked before anything of it runs; it is loaded with RTLD_NOW | RTLD_LOCAL and never
// unloaded. A plug-in that was asked for and does not load is an error that says why.
[[nodiscard]] Result<Plugin> load_plugin(const std::string& what, const std::vector<std::string>& folders,
                                         Diagnostics& diags);

}  // namespace byoc::plugin
