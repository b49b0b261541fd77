// How hard each part of an export is optimised.
#pragma once

#include <map>
#include <string>

#include "byoc/options.hpp"
#include "sdk/ir/graph.hpp"
#include "sdk/plugin/compilation.hpp"

namespace byoc {

// "0" | "1" | "2" | "3" | "s" | "z", as CompileOptions::opt_level.
struct OptimisationLevels {
  std::string hot;    // kernels, and what codegens hand over as LLVM modules
  std::string light;  // kernels that follow the layers where a model's time goes
  std::string glue;   // calls and tables
};

// `opt_level` is the user's word for all of it, "" for what suits the objective; `toolchain` the compiler's.
[[nodiscard]] OptimisationLevels optimisation_levels(Objective objective, const std::string& opt_level,
                                                     const std::string& toolchain);

// Of each shared kernel, by symbol: light where all steps that call it are.
[[nodiscard]] std::map<std::string, std::string> kernel_levels(const OptimisationLevels& levels, const ir::Graph& graph,
                                                               const plugin::Compilation& compilation);

}  // namespace byoc
