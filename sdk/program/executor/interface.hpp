// The description of a program for everything that is written about it: headers, manifest, harness, reports.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/program/plan/program.hpp"

namespace byoc::executor {

// C names that the user gives inputs and outputs, in the model's order; of neither or both.
struct IoNames {
  std::span<const std::string> inputs = {}, outputs = {};
};

// Gives the inputs, outputs and workspaces their C names. `prefix` is that of every public symbol.
[[nodiscard]] ModelInterface interface_of(const plan::Program& program, const std::string& prefix,
                                          const IoNames& names = {});
// Checks that the interface has the names that were given. Errors: more or fewer names than inputs or outputs; a name
// that is there twice, or that no member of a struct can have.
[[nodiscard]] Result<void> check_io_names(const ModelInterface& model, const IoNames& names, Diagnostics& diags);

// {"ram", "dtcm"}: lower-case C identifiers of the pools, each once.
[[nodiscard]] std::vector<std::string> pool_fields(const std::vector<plan::RamPool>& pools);

}  // namespace byoc::executor
