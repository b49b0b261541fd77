// What loads opaque modules of byoc's own, without the user having to say so. Internal to this folder.
#pragma once

#include <map>
#include <string>

#include "byoc/byoc.hpp"

namespace byoc::runtime {

// By the name that a module asks for. The user's loaders come first.
[[nodiscard]] const std::map<std::string, OpaqueLoader>& built_in_loaders();

}  // namespace byoc::runtime
