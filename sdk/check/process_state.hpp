// What a plug-in has to leave as it is.
#pragma once

#include <map>
#include <string>

namespace byoc::check {

// Of this process: the locale, signal handlers, the environment, the working folder, the umask, the rounding of floats,
// limits, threads and open files. {what, how it is}.
[[nodiscard]] std::map<std::string, std::string> process_state();

}  // namespace byoc::check
