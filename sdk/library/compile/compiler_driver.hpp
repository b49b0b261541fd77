// Clang in this process as a compiler driver: what `byoc cc` and byoc-cc are, so that programs in front of compilers
// (ccache, sccache, distcc, icecc) cache and distribute what byoc compiles.
#pragma once

#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc::compile {

// The name of this program that is nothing but a compiler: some launchers run a compiler with arguments of their own,
// and have no place for the "cc" of "byoc cc".
inline constexpr const char* kCompilerName = "byoc-cc";

// Runs Clang's driver with `arguments`: -c, -S, -E, -fsyntax-only, -M.., -###, --version, -dumpmachine and all other
// options of Clang, except links and assembly, which are errors. After -target or --target=, a target of byoc's
// (resolve_target()) stands for its options and its C library's headers alone; a triple is Clang's. Clang's messages go
// to this process's standard error, and output to its standard output. `program`: the name by which it was called.
// Returns the exit code.
[[nodiscard]] int run_compiler_driver(const std::string& program, std::span<const std::string> arguments, Diagnostics&);

}  // namespace byoc::compile
