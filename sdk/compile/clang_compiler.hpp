// The compilers behind Compiler::create. Internal to this folder.
#pragma once

#include "sdk/compile/compiler.hpp"

namespace byoc::compile {

// Clang can look at a source without compiling it.
class CheckingCompiler : public Compiler {
 public:
  virtual Result<void> check(const Source&, const HeaderMap&, const SourceRules&, std::vector<SourceFinding>&,
                             Diagnostics&) = 0;
};

[[nodiscard]] Result<std::unique_ptr<CheckingCompiler>> make_clang_compiler(const TargetSpec&, const CompileOptions&,
                                                                            Diagnostics&);
[[nodiscard]] Result<std::unique_ptr<Compiler>> make_gnu_compiler(const TargetSpec&, const CompileOptions&,
                                                                  Diagnostics&);

// The package that has to be installed for `target`; which = "compiler" | "headers".
[[nodiscard]] std::string package_hint(const TargetSpec& target, const char* which);

}  // namespace byoc::compile
