// The ahead-of-time executor: a root in C calls the steps in planned order over the planned workspaces, and nothing
// else of byoc is on the device.
#pragma once

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

[[nodiscard]] const Executor& aot();

}  // namespace byoc::executor
