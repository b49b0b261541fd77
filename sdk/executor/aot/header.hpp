// The public header and the example program. Internal to this folder.
#pragma once

#include <string>

#include "sdk/executor/executor.hpp"

namespace byoc::executor {

[[nodiscard]] std::string header_text(const PrintRequest& request);
[[nodiscard]] std::string example_main_text(const PrintRequest& request);

}  // namespace byoc::executor
