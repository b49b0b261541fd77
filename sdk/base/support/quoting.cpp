#include "sdk/base/support/quoting.hpp"

#include <algorithm>
#include <utility>

#include "sdk/base/support/visible.hpp"

namespace byoc {

// Makes text of a language of what is quoted for it.
class Quoting {
 public:
  template <class Text>
  static Text made(std::string quoted) {
    Text out;
    out.text_ = std::move(quoted);
    return out;
  }
};

namespace {

constexpr std::string_view kAlphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
constexpr std::string_view kEnds("\n\r\0", 3);

bool is_alphanumeric(char c) { return kAlphanumeric.find(c) != std::string_view::npos; }

// `with` in front of each character of `special`.
std::string escaped(std::string_view text, std::string_view special, char with) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += with;
    out += c;
  }
  return out;
}

// True for what a shell takes as it is wherever it stands. A word with '=' may be an assignment, unless it begins as
// options and paths do.
bool is_plain_word(std::string_view text) {
  if (text.empty()) return false;
  const bool assigns = std::string_view("-/.").find(text.front()) == std::string_view::npos;
  return std::ranges::all_of(text, [&](char c) {
    return is_alphanumeric(c) || std::string_view("_-+./,:@%").find(c) != std::string_view::npos ||
           (c == '=' && !assigns);
  });
}

// make takes one of the backslashes in front of a '#' for its own.
std::string without_comments(std::string_view text) {
  std::string out;
  std::size_t backslashes = 0;
  for (const char c : text) {
    if (c == '#') out += std::string(backslashes + 1, '\\');
    backslashes = c == '\\' ? backslashes + 1 : 0;
    out += c;
  }
  return out;
}

template <class Text>
std::optional<Text> with_dollars(std::string_view line) {
  if (line.find_first_of(kEnds) != std::string_view::npos) return std::nullopt;
  return Quoting::made<Text>(escaped(line, "$", '$'));
}

}  // namespace

ShellText shell_word(std::string_view text) {
  if (is_plain_word(text)) return Quoting::made<ShellText>(std::string(text));
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string{c};
  return Quoting::made<ShellText>(out + "'");
}

std::optional<MakeText> make_name(std::string_view path) {
  constexpr std::string_view kPlain = "+,/_.{}()@!-", kEscaped = " #:";
  if (path.empty() || std::string_view(" ):").find(path.back()) != std::string_view::npos) return std::nullopt;
  std::string out;
  for (const char c : path) {
    const bool known = is_alphanumeric(c) || kPlain.find(c) != std::string_view::npos || (c & 0x80) != 0;
    if (!known && c != '$' && kEscaped.find(c) == std::string_view::npos) return std::nullopt;
    if (!known) out += c == '$' ? '$' : '\\';
    out += c;
  }
  return Quoting::made<MakeText>(std::move(out));
}

std::optional<MakeText> make_recipe(const ShellText& line) { return with_dollars<MakeText>(line.text()); }

std::optional<MakeText> make_value(const ShellText& words) {
  return with_dollars<MakeText>(without_comments(words.text()));
}

std::optional<NinjaText> ninja_path(std::string_view path) {
  if (path.empty() || path.find('|') != std::string_view::npos || path.find_first_of(kEnds) != std::string_view::npos)
    return std::nullopt;
  return Quoting::made<NinjaText>(escaped(path, "$ :", '$'));
}

std::optional<NinjaText> ninja_value(const ShellText& line) { return with_dollars<NinjaText>(line.text()); }
std::optional<NinjaText> ninja_value(std::string_view name) { return with_dollars<NinjaText>(name); }

std::string markdown_code(std::string_view text) {
  std::string out = "`";
  for (const char c : visible_text(text)) out += c == '`' ? '\'' : c == '|' ? '/' : c;
  return text.empty() ? "" : out + "`";
}

CMakeText cmake_text(std::string_view text) { return Quoting::made<CMakeText>(escaped(text, "\\\"$;", '\\')); }

}  // namespace byoc
