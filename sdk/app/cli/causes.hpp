// Why a command failed, for programs that start byoc: exit codes and diagnostics as JSON Lines.
#pragma once

#include <string>
#include <string_view>

#include "byoc/diagnostics.hpp"

namespace byoc::cli {

// Exit codes. With --exit-codes general every failure but a wrong command line is kFailed.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,            // a failure of no other kind
  kWrongCommandLine = 2,  // nothing was tried
  kModelRefused = 3,      // the model cannot be read, or not be compiled for the target
  kDoesNotFit = 4,        // it needs more memory than there is, or than --max-ram
  kPluginFailed = 5,      // a plug-in cannot be loaded, fails, or hands over what does not compile
  kEnvironment = 6,       // files, folders, compilers, memory of this machine
};

// The exit code of a failure in a stage of an export (ExportRequest::progress). `foreign`: plug-ins take part.
[[nodiscard]] ExitCode cause_of_stage(std::string_view stage, bool foreign);
[[nodiscard]] std::string_view name_of(ExitCode code);

// {"level": "error", "file": ..., "node": ..., "message": ..., "found": ..., "expected": ...} on one line; what is
// empty is left away.
[[nodiscard]] std::string diagnostic_json(const Diagnostic& diagnostic);

}  // namespace byoc::cli
