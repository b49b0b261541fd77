// How --help looks: words for values, lines of the terminal's width, and of long commands only the options that most
// people need; --help-all has the others.
#pragma once

namespace CLI {
class App;
}

namespace byoc::cli {

// Called once all commands were added.
void set_help(CLI::App& app);

}  // namespace byoc::cli
