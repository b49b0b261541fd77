// The C of the root: <prefix>_run and, of a model with an instance, <prefix>_init, _reset and _deinit. Internal to this
// folder.
#pragma once

#include <string>

#include "sdk/executor/executor.hpp"

namespace byoc::executor {

[[nodiscard]] std::string root_text(const PrintRequest& request);

}  // namespace byoc::executor
