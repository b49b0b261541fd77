// What is said where something else than byoc ends the process: a plug-in that calls exit(), or that crashes.
#pragma once

#include <functional>

#include "sdk/cli/commands.hpp"

namespace byoc::cli {

// Before the first plug-in is loaded, once. Whoever calls exit() or quick_exit() before `all_is_done()` is told to
// `session` by name, as far as it is known; then `report` is called, temporary files go, and the process ends with what
// `report` returned. A crash inside a call of a plug-in is told on standard error and stays a crash. `session` and what
// `report` has outlive main().
void watch_for_ends(Session& session, std::function<int()> report);

// main() has an exit code of its own and returns it.
void all_is_done();

}  // namespace byoc::cli
