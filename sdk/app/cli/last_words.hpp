// The message when something other than byoc ends the process: a plug-in that calls exit(), or that crashes.
#pragma once

#include <functional>

#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {

// Called once before the first plug-in is loaded. If exit() or quick_exit() is called before `all_is_done()`, `session`
// gets a diagnostic that names the caller as far as it is known; then `report` is called, temporary files are removed,
// and the process ends with the result of `report`. A crash inside a call of a plug-in is reported on standard error
// and stays a crash. `session` and the state of `report` outlive main().
void watch_for_ends(Session& session, std::function<int()> report);

// main() has an exit code of its own and returns it.
void all_is_done();

}  // namespace byoc::cli
