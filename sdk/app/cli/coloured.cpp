#include "sdk/app/cli/coloured.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/visible.hpp"

namespace byoc::cli {
namespace {

// SGR sequences of ECMA-48, 8.3.117.
constexpr std::string_view kBoldRed = "\033[1;31m", kBoldYellow = "\033[1;33m", kBoldCyan = "\033[1;36m",
                           kPlain = "\033[0m";

std::string_view colour_of(Level level) {
  return level == Level::error ? kBoldRed : level == Level::warning ? kBoldYellow : kBoldCyan;
}

bool has_text(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool shows_colours() {
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return ::isatty(STDERR_FILENO) != 0 && !has_text("NO_COLOR") && !dumb;
}

std::string coloured(const Diagnostic& diagnostic) {
  const std::string text = to_string(diagnostic);
  const std::size_t level = diagnostic.file.empty() ? 0 : visible_text(diagnostic.file).size() + 2;
  const std::size_t end = text.find(':', level) + 1;
  std::string out = text.substr(0, level);
  out += colour_of(diagnostic.level);
  out += text.substr(level, end - level);
  out += kPlain;
  return out + text.substr(end);
}

// The stream stderr shows control characters instead of obeying them: colours go to the terminal beside it.
void show_diagnostic(const Diagnostic& diagnostic) {
  if (!shows_colours()) {
    std::fprintf(stderr, "%s\n", to_string(diagnostic).c_str());
    return;
  }
  const std::string line = coloured(diagnostic) + "\n";
  (void)write_all(STDERR_FILENO, std::as_bytes(std::span(line)));
}

}  // namespace byoc::cli
