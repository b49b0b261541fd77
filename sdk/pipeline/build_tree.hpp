// A library from files of the user's own, without a model: LLVM modules, C sources and objects, one target.
#pragma once

#include <span>
#include <string>

#include "byoc/target.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

struct BuildTreeOptions {
  std::string toolchain = {};   // for C: "clang", "gnu"; "" takes the target's default
  std::string opt_level = "2";  // "0" | "1" | "2" | "3" | "s" | "z"
};

// Compiles `files` (.ll, .bc, .c; .o is taken as it is) for `target`, reads every object back and checks it, and writes
// `out` (.a or .o), whole or not at all. C sources are GNU C11 and may include what lies beside them. Members are
// named after their files ("npu.ll.o") and keep their order. Errors: no file, an unknown suffix, a file that cannot be
// read or compiled, a module or object of another target (named), a symbol that two of them define, two files of one
// name, an output that is neither or cannot be written.
Result<void> build_tree(std::span<const std::string> files, const TargetSpec& target, const BuildTreeOptions& options,
                        const std::string& out, Diagnostics& diags);

}  // namespace byoc
