// The calls of a program that may fail, and the codes that a run ends with then.
#pragma once

#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/program/plan/program.hpp"

namespace byoc::executor {

// Calls whose steps say why, and loops that must run as many rounds as the model states. Equal failures get
// equal codes in whatever order a target's plan calls the steps. `prefix` is that of the symbols.
[[nodiscard]] std::vector<RunFailure> failures_of(const plan::Program& program, const std::string& prefix);

}  // namespace byoc::executor
