// Work in which code of others takes part, in a process of its own: what it says and gives comes back, and a crash is
// an error.
#pragma once

#include <functional>
#include <string>

#include "sdk/support/diagnostics.hpp"
#include "sdk/support/message.hpp"

namespace byoc {

// `work` writes its answer and says what is wrong; false: it failed. What it leaves in memory is lost with its process.
// `path` and `name` are what is run, for messages. Not while other threads run (see Worker). Errors: those of the work;
// how its process ended, if not by itself; that it took longer than `seconds` (0: any time).
[[nodiscard]] Result<std::string> run_apart(const std::string& path, const std::string& name, unsigned seconds,
                                            const std::function<bool(MessageWriter&, Diagnostics&)>& work,
                                            Diagnostics& diags);

// Of an answer that is not as it should be.
Failure bad_answer(const std::string& path, Diagnostics& diags);

}  // namespace byoc
