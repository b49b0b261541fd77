// The executors that an export can choose from.
#pragma once

#include <span>
#include <string>

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// All of them, the default first. The table is in sdk/export/executors; the demo's program has one of its own.
[[nodiscard]] std::span<const Executor* const> executors();
// Error: there is none of that name (those that there are are listed).
Result<const Executor*> find_executor(const std::string& name, Diagnostics& diags);

}  // namespace byoc::executor
