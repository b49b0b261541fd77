#include "sdk/app/cli/visible_output.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/visible.hpp"

namespace byoc::cli {
namespace {

// One of the standard streams.
struct Screen {
  int fd;
  VisibleStream text = {};
};

ssize_t write_shown(void* cookie, const char* text, std::size_t size) {
  auto& screen = *static_cast<Screen*>(cookie);
  const std::string out = screen.text.show({text, size});
  return write_all(screen.fd, std::as_bytes(std::span(out))) ? static_cast<ssize_t>(size) : 0;
}

FILE* open(Screen& screen, int buffering) {
  FILE* const out =
      ::fopencookie(&screen, "w", {.read = nullptr, .write = write_shown, .seek = nullptr, .close = nullptr});
  if (out != nullptr) std::setvbuf(out, nullptr, buffering, BUFSIZ);
  return out;
}

}  // namespace

void show_control_characters() {
  static Screen screen_out{STDOUT_FILENO}, screen_error{STDERR_FILENO};
  if (FILE* const out = open(screen_out, ::isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF)) stdout = out;
  if (FILE* const error = open(screen_error, _IONBF)) stderr = error;
}

void clear_line() {
  constexpr std::string_view kClear = "\r\033[K";
  if (::isatty(STDERR_FILENO) != 0) (void)write_all(STDERR_FILENO, std::as_bytes(std::span(kClear)));
}

}  // namespace byoc::cli
