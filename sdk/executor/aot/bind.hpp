// <prefix>_bind(): weights that are no part of the library. Internal to this folder.
#pragma once

#include <string>

#include "sdk/executor/executor.hpp"

namespace byoc::executor {

// Of a request with PrintRequest::bound: the declarations, and the functions and what they set.
[[nodiscard]] std::string bind_header_text(const PrintRequest& request);
[[nodiscard]] std::string bind_text(const PrintRequest& request);

// What a function that reads the weights begins with; "" where they are in the library.
[[nodiscard]] std::string check_bound(const PrintRequest& request);

}  // namespace byoc::executor
