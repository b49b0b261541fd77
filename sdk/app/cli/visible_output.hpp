// Makes control characters in names of models and messages of servers visible.
#pragma once

namespace byoc::cli {

// From here on, control characters that are written to stdout and stderr are shown as \x1b and have no effect: they
// come from files of others, and could hide messages or set a terminal's title or keys (CWE-150). Line ends and tabs
// stay. The C1 controls (ISO/IEC 6429) are those in UTF-8, which terminals obey too.
void show_control_characters();

// Takes away what stands on the last line of stderr, where that is a terminal.
void clear_line();

}  // namespace byoc::cli
