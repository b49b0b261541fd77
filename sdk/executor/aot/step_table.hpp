// The table of a model's steps for programs that load it (byoc/rt/steps.h). Internal to this folder.
#pragma once

#include <string>

#include "sdk/executor/executor.hpp"

namespace byoc::executor {

// C source that defines <prefix>_step_table, a wrapper for each step of the model's graph, and where its operands are.
[[nodiscard]] std::string step_table_text(const PrintRequest& request);

}  // namespace byoc::executor
