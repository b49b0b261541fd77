// The state of the process that a plug-in must not change.
#pragma once

#include <map>
#include <string>

namespace byoc::check {

// State of this process: the locale, signal handlers, the environment, the working folder, the umask, the rounding of
// floats, limits, threads and open files. {name, state}.
using ProcessState = std::map<std::string, std::string>;
[[nodiscard]] ProcessState process_state();

// The state after something that started from `before`. A thread is in the kernel's list for a moment after it was
// joined: this waits until there are no more threads than before, for one second at the most.
[[nodiscard]] ProcessState process_state_after(const ProcessState& before);

}  // namespace byoc::check
