// The optimisation level of each part of an export.
#pragma once

#include <map>
#include <string>

#include "byoc/options.hpp"
#include "sdk/codegen/codegen/compilation.hpp"

namespace byoc {

// "0" | "1" | "2" | "3" | "s" | "z", as CompileOptions::opt_level.
struct OptimisationLevels {
  std::string hot;    // where a model's time goes
  std::string light;  // what follows that and does little itself
  std::string glue;   // calls and tables
};

// `opt_level` is the user's word for all of it, "" for what suits the objective; `toolchain` the compiler's.
[[nodiscard]] OptimisationLevels optimisation_levels(Objective objective, const std::string& opt_level,
                                                     const std::string& toolchain);

// The level of one artifact; `usual` is its effort if its codegen does not state one.
[[nodiscard]] const std::string& level_of(const OptimisationLevels& levels, codegen::Effort stated,
                                          codegen::Effort usual);

// The level of each shared kernel, C or LLVM, by symbol.
[[nodiscard]] std::map<std::string, std::string> kernel_levels(const OptimisationLevels& levels,
                                                               const plugin::Compilation& compilation);

}  // namespace byoc
