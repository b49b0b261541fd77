// Codegens are asked again, for less memory, until the plan fits.
#pragma once

#include <cstdint>
#include <functional>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/program/plan/program.hpp"

namespace byoc {

// The codegens' artifacts, and the program made from them.
struct Planned {
  plugin::Compilation compilation;
  plan::Program program;
};

struct MemoryLimits {
  const TargetSpec& target;
  std::uint64_t max_ram = 0;  // bytes of workspaces, instance, inputs and outputs together; 0: not bounded
  bool can_save = false;      // whether some codegen can do with less
};

// Generates and plans with `budget` bytes of workspace, 0 for as many as it takes.
using PlanAttempt = std::function<Result<Planned>(std::uint64_t budget, std::uint32_t attempt, Diagnostics&)>;

// The first attempt that fits `limits`. Tells what that attempt, or the last one, said. Errors: those of the attempt;
// no attempt fits, with the least that one took.
[[nodiscard]] Result<Planned> fit_memory(const ir::Graph& graph, const MemoryLimits& limits, const PlanAttempt& attempt,
                                         Diagnostics& diags);

}  // namespace byoc
