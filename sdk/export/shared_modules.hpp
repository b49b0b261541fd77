// LLVM modules beside shared kernels: a module may be one, and whatever names one gets its name in this export.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sdk/base/support/blob.hpp"
#include "sdk/codegen/codegen/compilation.hpp"
#include "sdk/library/compile/llvm_symbols.hpp"

namespace byoc {

// By index among Compilation::others: the LLVM modules of codegens that share kernels. Modules of other codegens are
// not read.
using ModuleSymbols = std::map<std::size_t, LlvmSymbols>;

// Modules of codegens that are not `built_in` are read in workers. Errors: no LLVM module; a shared one whose external
// definitions are not its symbol alone.
[[nodiscard]] Result<ModuleSymbols> read_module_symbols(const plugin::Compilation& compilation,
                                                        const std::set<std::string>& built_in,
                                                        const WorkerLimits& limits, Diagnostics& diags);

// The modules that name a shared kernel, with its name in this export (`kernel_names`), by the same index.
[[nodiscard]] Result<std::map<std::size_t, Blob>> rename_in_modules(
    const plugin::Compilation& compilation, const ModuleSymbols& symbols,
    const std::map<std::string, std::string>& kernel_names, const std::set<std::string>& built_in,
    const WorkerLimits& limits, Diagnostics& diags);

}  // namespace byoc
