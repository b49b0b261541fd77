// Diagnostics on terminals: the level has a colour, unless NO_COLOR is set (https://no-color.org) or TERM is "dumb".
#pragma once

#include "sdk/base/support/diagnostics.hpp"

namespace byoc::cli {

// True if colours are shown on standard error.
[[nodiscard]] bool shows_colours();

// The text of to_string() with a colour for the level. Names of models in it have no control characters: the sequences
// that give colours are all that a terminal obeys.
[[nodiscard]] std::string coloured(const Diagnostic& diagnostic);

// A line on standard error.
void show_diagnostic(const Diagnostic& diagnostic);

}  // namespace byoc::cli
