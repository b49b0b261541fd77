// What names in models and words of servers do to a terminal.
#pragma once

namespace byoc::cli {

// From here on, control characters that are written to stdout and stderr are shown as \x1b and do nothing: they come
// out of files of others, and could hide what is said, set a terminal's title or its keys (CWE-150). Line ends and tabs
// stay. The C1 controls (ISO/IEC 6429) are those in UTF-8, which terminals obey too.
void show_control_characters();

// Takes away what stands on the last line of stderr, where that is a terminal.
void clear_line();

}  // namespace byoc::cli
