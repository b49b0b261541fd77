// The compilers behind Compiler::create. Internal to this folder.
#pragma once

#include "sdk/library/compile/compiler.hpp"
#include "sdk/library/compile/object_cache.hpp"
#include "sdk/library/compile/toolchain.hpp"

namespace byoc::compile {

// Clang can look at a source without compiling it.
class CheckingCompiler : public Compiler {
 public:
  virtual Result<void> check(const Source&, const HeaderMap&, const SourceRules&, std::vector<SourceFinding>&,
                             Diagnostics&) = 0;
  // The arguments of Clang's driver for every source, without the optimisation level.
  [[nodiscard]] virtual std::vector<std::string> driver_flags() const = 0;
};

[[nodiscard]] Result<std::unique_ptr<CheckingCompiler>> make_clang_compiler(const TargetSpec&, const CompileOptions&,
                                                                            Diagnostics&);
[[nodiscard]] Result<std::unique_ptr<Compiler>> make_external_compiler(const TargetSpec&, const CompileOptions&,
                                                                       Toolchain, Diagnostics&);
// Clang, but what it compiles is a command behind options.launcher: `ccache byoc-cc ...`. The objects are the same, and
// so are identity() and flags(). In this process stay assembly, and what is looked for in sources. Errors: no such
// launcher, no byoc-cc beside this program or on the PATH.
[[nodiscard]] Result<std::unique_ptr<Compiler>> make_launched_clang(const TargetSpec&, const CompileOptions&,
                                                                    Diagnostics&);

// `compiler`, which is asked only for what is not in `cache`; itself where that is off. `program` is a file that
// changes when the compiler does. A source that includes files of the machine beside the C library's is always
// compiled.
[[nodiscard]] std::unique_ptr<Compiler> make_caching_compiler(std::unique_ptr<Compiler> compiler, ObjectCache cache,
                                                              const TargetSpec&, const CompileOptions&,
                                                              const std::string& program);

// Compiles a small file and looks whether the object is of `target`. `name` is the compiler's, for diagnostics.
Result<void> probe(Compiler& compiler, const std::string& name, const TargetSpec& target, Diagnostics&);

// The package that has to be installed for `target`; which = "compiler" | "headers".
[[nodiscard]] std::string package_hint(const TargetSpec& target, const char* which);

}  // namespace byoc::compile
