// The description of a program for everything that is written about it: headers, manifest, harness, reports.
#pragma once

#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/program/plan/program.hpp"

namespace byoc::executor {

// Gives the inputs, outputs and workspaces their C names. `prefix` is that of every public symbol.
[[nodiscard]] ModelInterface interface_of(const plan::Program& program, const std::string& prefix);

// {"ram", "dtcm"}: lower-case C identifiers of the pools, each once.
[[nodiscard]] std::vector<std::string> pool_fields(const std::vector<plan::RamPool>& pools);

}  // namespace byoc::executor
