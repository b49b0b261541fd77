// Codegens make steps, sources and constants of their regions.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "byoc/codegen.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/codegen/optimise/optimise.hpp"
#include "sdk/export/export_names.hpp"
#include "sdk/program/plan/open_calls.hpp"

namespace byoc {

struct GenerateRequest {
  const optimise::Optimised& model;
  std::span<codegen::Codegen* const> codegens;  // those that the partition counts
  const TargetSpec& target;
  Objective objective = Objective::balanced;
  const ExportNames& names;
  std::string executor;                   // its name: who makes the steps of control nodes
  bool constants_move = false;            // those of codegens that can do with it, and the executor's
  bool resumable = false;                 // the header declares <prefix>_begin() and _step()
  const plan::OpenNodes* open = nullptr;  // compiled beside the model; null: there are none
};

// The artifacts of all codegens, in their order, and the executor's additions: a step for each control node, symbols
// for constants that it reads itself. Steps stand in an order in which they can run. Symbols of the export are only
// those in here and <prefix>_{run,init,reset,deinit,...}. `budget` is bytes of workspace, 0 for no limit; `attempt`
// counts from 0. Errors: those of plugin::compile_regions.
[[nodiscard]] Result<plugin::Compilation> generate(const GenerateRequest& request, std::uint64_t budget,
                                                   std::uint32_t attempt, Diagnostics& diags);

// The ids of those that are part of byoc: the code of all others is foreign.
[[nodiscard]] std::set<std::string> built_in_codegens(std::span<codegen::Codegen* const> codegens);

// The bytes of all its constants.
[[nodiscard]] std::uint64_t constant_bytes(const plugin::Compilation& compilation);

}  // namespace byoc
