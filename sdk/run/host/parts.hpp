// Objects, static libraries, archives and folders, to be linked to shared libraries. Internal to this folder.
#pragma once

#include "sdk/run/host/loadable.hpp"

namespace byoc::runtime {

// read_library() of these. A folder is packed anew in the private directory: with its objects where they are what was
// exported, else with what the compiler that is part of byoc makes of its sources.
[[nodiscard]] Result<Loadable> read_parts(const std::string& path, const std::string& named, Diagnostics&);

}  // namespace byoc::runtime
