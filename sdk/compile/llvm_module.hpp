// LLVM modules, as bitcode or as text, to object code for one target.
#pragma once

#include <span>
#include <string>

#include "sdk/compile/compiler.hpp"

namespace byoc {

// An ELF relocatable, compiled in a forked worker with the same code generation options as C. `name` is for
// diagnostics. A module without a triple or data layout takes the target's, and so does one that says no more than
// "arm-none-eabi". Errors: no LLVM module, one of a newer LLVM, one that the verifier rejects, one of another triple or
// data layout, a function for another CPU or float convention or (bare metal) with exception handlers, whatever the
// back end reports.
[[nodiscard]] Result<ObjectBytes> compile_llvm_module(const std::string& name, std::span<const std::byte> module,
                                                      const TargetSpec& target, const CompileOptions& options,
                                                      Diagnostics& diags);

}  // namespace byoc
