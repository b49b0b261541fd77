// A library from files of the user's own, without a model: LLVM modules, C sources and objects, one target.
#pragma once

#include <span>
#include <string>

#include "byoc/options.hpp"
#include "byoc/pack.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/export/compile_tree.hpp"
#include "sdk/library/pack/write_package.hpp"
#include "sdk/target/module/module.hpp"

namespace byoc {

// A tree whose root is the first file; it imports the others in order. Modules are named after their files ("npu.ll").
// C sources may include what lies beside them. Errors, for each file: an unknown suffix, one that cannot be read.
[[nodiscard]] Result<ModuleTree> tree_of_files(std::span<const std::string> files, Diagnostics& diags);

// Options for compiling the user's files: GNU C11, and only errors count.
[[nodiscard]] CompileTreeOptions user_files_options(const CompilerChoice& choice);
// Writes down in `m` how it is compiled, for folders.
void say_how(Module& m, const std::string& opt_level);

// Compiles `files` (.ll, .bc, .c; .o and .a are taken as they are) for `target`, reads every object back and checks it,
// and writes `out` (.a, .o, .tar or a folder), whole or not at all. C sources are GNU C11. Members are named after
// their files
// ("npu.ll.o") and keep their order. Errors: no file, those of tree_of_files, compile_tree and write_package.
Result<void> build_tree(std::span<const std::string> files, const TargetSpec& target, const BuildOptions& options,
                        const std::string& out, Diagnostics& diags);

}  // namespace byoc
