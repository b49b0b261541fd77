// The public header and the example program. Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// layout_of(): the text that ties the header to its library (tie.hpp).
[[nodiscard]] std::string layout_of(const PrintRequest& request);
[[nodiscard]] std::string header_text(const PrintRequest& request);
[[nodiscard]] std::string example_main_text(const PrintRequest& request);

}  // namespace byoc::executor
