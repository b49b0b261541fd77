#include "sdk/app/cli/visible_output.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "sdk/base/support/file.hpp"

namespace byoc::cli {
namespace {

// One of the standard streams.
struct Screen {
  int fd;
  bool in_c1 = false;  // the last byte was the first of a character between U+0080 and U+00BF
};

constexpr char kC1 = '\xc2', kFirstC1 = '\x80', kLastC1 = '\x9f', kDelete = '\x7f';

bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == kDelete; }
bool ends_c1(char c) { return c >= kFirstC1 && c <= kLastC1; }

void append_shown(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  (out += "\\x") += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

std::string shown(Screen& screen, std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (screen.in_c1) {
      if (ends_c1(c))
        append_shown(out, kC1);
      else
        out += kC1;
    }
    if (is_control(c) || (screen.in_c1 && ends_c1(c)))
      append_shown(out, c);
    else if (c != kC1)
      out += c;
    screen.in_c1 = c == kC1;
  }
  return out;
}

ssize_t write_shown(void* cookie, const char* text, std::size_t size) {
  auto& screen = *static_cast<Screen*>(cookie);
  const std::string out = shown(screen, {text, size});
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
