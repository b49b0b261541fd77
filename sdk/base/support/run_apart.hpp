// Work in which code of others takes part, in a process of its own: what it says and gives comes back, and a crash is
// an error.
#pragma once

#include <functional>
#include <string>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc {

// Runs `work` in a process of its own. `work` writes its answer and reports errors; false: it failed. Its changes to
// memory are lost with the process. `path` and `name` say in messages what is run. No other threads may run meanwhile
// (see Worker). Errors: those of the work; an abnormal end of its process; more time than `seconds` (0: no limit).
[[nodiscard]] Result<std::string> run_apart(const std::string& path, const std::string& name, unsigned seconds,
                                            const std::function<bool(MessageWriter&, Diagnostics&)>& work,
                                            Diagnostics& diags);

// Reports a malformed answer.
Failure bad_answer(const std::string& path, Diagnostics& diags);

}  // namespace byoc
