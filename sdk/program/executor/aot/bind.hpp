// <prefix>_bind(): weights that are no part of the library. Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// The declarations, functions and variables for a request with PrintRequest::bound.
[[nodiscard]] std::string bind_header_text(const PrintRequest& request);
[[nodiscard]] std::string bind_text(const PrintRequest& request);

// The first statements of a function that reads the weights; "" if they are in the library.
[[nodiscard]] std::string check_bound(const PrintRequest& request);

}  // namespace byoc::executor
