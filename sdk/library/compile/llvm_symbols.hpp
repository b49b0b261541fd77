// The symbols of LLVM modules: read, and given other names, as shared kernels are.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "sdk/base/support/worker.hpp"
#include "sdk/library/compile/compiler.hpp"

namespace byoc {

struct LlvmSymbols {
  std::set<std::string> defined;  // for others: not what is local to the module
  std::set<std::string> used;     // and defined elsewhere
};

// Both work in a worker, for a module may be anybody's; without limits in this process, for those of byoc's own.
// `name` is for diagnostics. Errors: no LLVM module, one of a newer LLVM.
[[nodiscard]] Result<LlvmSymbols> read_llvm_symbols(const std::string& name, std::span<const std::byte> module,
                                                    const std::optional<WorkerLimits>& limits, Diagnostics& diags);

// The module as bitcode, with those of `names` (old -> new) that it defines or uses under their new names. Error
// besides: a new name that it has already.
[[nodiscard]] Result<ObjectBytes> rename_llvm_symbols(const std::string& name, std::span<const std::byte> module,
                                                      const std::map<std::string, std::string>& names,
                                                      const std::optional<WorkerLimits>& limits, Diagnostics& diags);

}  // namespace byoc
