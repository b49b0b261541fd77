// Roots that choose among the levels of an architecture when they are loaded. Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// All of these give "" without PrintRequest::levels.
[[nodiscard]] std::string levels_header_text(const PrintRequest& request);
[[nodiscard]] std::string levels_text(const PrintRequest& request);
// The start of a function of the root's, "run" ("init" ...): where a higher level was chosen it returns what that does.
[[nodiscard]] std::string to_level(const PrintRequest& request, const std::string& function);

}  // namespace byoc::executor
