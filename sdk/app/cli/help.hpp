// How --help looks: words for values, lines of the terminal's width, and of long commands only the options that most
// people need; --help-all has the others.
#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace byoc::cli {

// Called once all commands were added.
void set_help(CLI::App& app);

// `text` behind `left`, in lines of at most `width` characters, the second column at `column`; width 0: one line. A
// word that is longer has a line of its own.
[[nodiscard]] std::string two_columns(const std::string& left, const std::string& text, std::size_t column,
                                      std::size_t width);

}  // namespace byoc::cli
