// Decides who may name a program that byoc runs.
#pragma once

#include <optional>
#include <string>

#include "byoc/target.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// `target` of a file that anybody may have written, with commands that may be run: those of `named`, the target that
// the user names, which must be the same target; without one those that the targets of toolchains/ have, and options
// that only select a CPU (-m...). `file` is for diagnostics. Errors: another target than the one named; a command, an
// option or a folder of headers that no known target has.
[[nodiscard]] Result<TargetSpec> with_trusted_commands(TargetSpec target, const std::optional<TargetSpec>& named,
                                                       const std::string& file, Diagnostics&);

}  // namespace byoc
