// Codes of failures in the header, and <prefix>_error_text(), which says them in words. Internal to this folder.
#pragma once

#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// "" for a model whose steps have no reason to fail.
[[nodiscard]] std::string failures_header_text(const PrintRequest& request);
// The source of <prefix>_error_text().
[[nodiscard]] std::string error_text_source(const PrintRequest& request);

}  // namespace byoc::executor
