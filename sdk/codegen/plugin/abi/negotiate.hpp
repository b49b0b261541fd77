// The table that a plug-in's query function returns: asked for, checked, and agreed on a version with.
#pragma once

#include <string>

#include "byoc/abi/abi.h"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc::plugin {

// The ABI version of the host; values other than the initial ones are for tests.
struct HostVersion {
  std::uint32_t major = BYOC_ABI_MAJOR;
  std::uint32_t minor = BYOC_ABI_MINOR;
  std::uint32_t min_plugin_minor = 0;
};

// A plug-in whose table makes sense and whose version fits. The table of the plug-in itself stays where it is (static
// storage of the plug-in, which is never unloaded).
struct Plugin {
  byoc_plugin_t table;      // as this host knows it: what an older plug-in lacks is zero
  std::uint32_t abi_minor;  // what both sides speak
  std::string id;
  std::string version;
  std::string where;      // the file, or "built in"
  bool built_in = false;  // whoever registers it knows: it is part of byoc
};

// Refuses, with both versions in the text, before anything of the plug-in has state. `where` names it in diagnostics.
[[nodiscard]] Result<Plugin> negotiate(byoc_plugin_query_fn query, const std::string& where, Diagnostics& diags,
                                       const HostVersion& host = {});

}  // namespace byoc::plugin
