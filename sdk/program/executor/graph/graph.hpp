// The executor `graph`: graph.json, parameters, and functions of the packed C ABI (byoc/rt/packed.h), for a program on
// a host that goes through the graph.
#pragma once

#include "sdk/program/executor/executor.hpp"

namespace byoc::executor {

// Refuses control flow, targets without an operating system, and codegens with functions that begin or end an instance.
const Executor& graph();

}  // namespace byoc::executor
