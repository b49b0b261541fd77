// Clang's driver and LLVM's start-up, shared by the C compiler and the LLVM module compiler. Internal to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/target/target/target.hpp"

namespace clang {
class CompilerInvocation;
class DiagnosticConsumer;
class TargetOptions;
}  // namespace clang

namespace byoc::compile {

// Virtual folder of all sources and given headers; never part of an object or a message.
inline constexpr const char* kVirtualFolder = "/byoc/";

// Registers the LLVM targets that byoc knows, once.
void initialise_llvm();

// The invocation that Clang's driver makes of `flags` for one file of the virtual folder with this suffix. The driver
// sees an empty file system, so that nothing installed on this machine has an effect.
[[nodiscard]] Result<std::shared_ptr<clang::CompilerInvocation>> make_invocation(const std::vector<std::string>& flags,
                                                                                 Diagnostics&,
                                                                                 const std::string& suffix = ".c");

// For an Arm core without an operating system: calls of memcpy() and memset() by these names, as GCC has them, and not
// as __aeabi_memcpy(). make_invocation() does so. Not an option of the command line: sccache does not know -meabi, and
// would keep nothing.
void call_c_library_by_name(clang::TargetOptions& options);

// Turns Clang's diagnostics into ours. `what` names the input where Clang gives no place.
[[nodiscard]] std::unique_ptr<clang::DiagnosticConsumer> make_diagnostic_consumer(const std::string& what,
                                                                                  Diagnostics&);

[[nodiscard]] std::string clang_identity();

// GNU ld before 2.41 crashes on the differences in ULEB128 that DWARF 5 has where RISC-V's linker may shorten code.
[[nodiscard]] inline bool wants_dwarf_4(const TargetSpec& target) { return target.triple.starts_with("riscv"); }
[[nodiscard]] inline const char* debug_option(const TargetSpec& target) {
  return wants_dwarf_4(target) ? "-gdwarf-4" : "-g";
}

}  // namespace byoc::compile
