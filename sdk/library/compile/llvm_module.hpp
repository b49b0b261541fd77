// LLVM modules, as bitcode or as text, to object code for one target.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sdk/library/compile/compiler.hpp"

namespace byoc {

// An ELF relocatable, compiled in a worker with the same code generation options as C. `name` is for
// diagnostics. A module without a triple or data layout takes the target's, and so does one that says no more than
// "arm-none-eabi". Errors: no LLVM module, one of a newer LLVM, one that the verifier rejects, one of another triple or
// data layout, a function for another CPU or float convention or (bare metal) with exception handlers, whatever the
// back end reports.
[[nodiscard]] Result<ObjectBytes> compile_llvm_module(const std::string& name, std::span<const std::byte> module,
                                                      const TargetSpec& target, const CompileOptions& options,
                                                      Diagnostics& diags);

// One of the modules that are linked into one.
struct LinkInput {
  std::string name;                  // for diagnostics
  std::span<const std::byte> bytes;  // bitcode or text
  bool visible = true;               // what it defines stays visible to others; false: only what they need
  std::string codegen = {};          // who handed it over, for diagnostics; "": none
};

struct LinkedModule {
  ObjectBytes object;
  std::map<std::string, std::size_t> defined;  // external definitions of the inputs: symbol and position of the input
};

// Link-time optimisation: `inputs` become one module, in which every definition that nobody else sees is internal, and
// that becomes one object, at the optimisation level of `options`. `needed` are symbols that objects beside it refer
// to or define, too; attribute((used)) keeps others. In a worker; `name` is for diagnostics of the whole.
// Errors: those of compile_llvm_module, for each input; a symbol that two of them define; module flags of two that
// exclude each other.
[[nodiscard]] Result<LinkedModule> link_llvm_modules(const std::string& name, std::span<const LinkInput> inputs,
                                                     const std::set<std::string>& needed, const TargetSpec& target,
                                                     const CompileOptions& options, Diagnostics& diags);

}  // namespace byoc
