// The public header and the example program. Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// layout_of(): the text that ties the header to its library (tie.hpp).
[[nodiscard]] std::string layout_of(const PrintRequest& request);
// Sets Printed::header and Printed::facts_at.
void print_header(const PrintRequest& request, Printed& out);
[[nodiscard]] std::string example_main_text(const PrintRequest& request);

}  // namespace byoc::executor
