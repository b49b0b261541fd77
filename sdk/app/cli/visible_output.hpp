// Makes control characters in names of models and messages of servers visible.
#pragma once

namespace byoc::cli {

// From here on, what is written to stdout and stderr passes through a VisibleStream (sdk/base/support/visible.hpp).
void show_control_characters();

// Takes away what stands on the last line of stderr, where that is a terminal.
void clear_line();

}  // namespace byoc::cli
