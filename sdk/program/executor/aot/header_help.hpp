// The parts of the public header that help programs: names by position, conversions of quantised values, checks.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// Macros that name inputs and outputs by their position, which a renamed tensor does not change, and inline functions
// that convert their elements.
[[nodiscard]] std::string positions_text(const ModelInterface& model);
[[nodiscard]] std::string conversions_text(const ModelInterface& model);
// A <prefix>_run() that looks at its arguments first, for programs that define <PREFIX>_CHECKS.
[[nodiscard]] std::string checks_text(const PrintRequest& request);

}  // namespace byoc::executor
