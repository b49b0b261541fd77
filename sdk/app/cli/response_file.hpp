// Arguments that are in a file: @FILE on a command line.
#pragma once

#include <string>
#include <vector>

#include "byoc/diagnostics.hpp"

namespace byoc::cli {

// The arguments with what is in the file in the place of each "@FILE", as GCC and GNU ld read it: words between white
// space; a word or a part of it may stand in quotes of either kind, and '\' takes the next character as it is. Such a
// word may be another "@FILE". "@@x" is the argument "@x". Errors: a file that cannot be read, quotes that do not end,
// files that name each other.
[[nodiscard]] Result<std::vector<std::string>> with_response_files(const std::vector<std::string>& arguments,
                                                                   Diagnostics&);

}  // namespace byoc::cli
