#include "sdk/base/support/quoting.hpp"

namespace byoc {
namespace {

constexpr std::string_view kAlphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

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

}  // namespace

std::optional<std::string> make_name(std::string_view path) {
  constexpr std::string_view kPlain = "+,/_.{}()@!-", kEscaped = " #:";
  if (path.empty() || std::string_view(" ):").find(path.back()) != std::string_view::npos) return std::nullopt;
  std::string out;
  for (const char c : path) {
    const bool known = is_alphanumeric(c) || kPlain.find(c) != std::string_view::npos || (c & 0x80) != 0;
    if (!known && c != '$' && kEscaped.find(c) == std::string_view::npos) return std::nullopt;
    if (!known) out += c == '$' ? '$' : '\\';
    out += c;
  }
  return out;
}

std::optional<std::string> ninja_path(std::string_view path) {
  if (path.empty() || path.find_first_of(std::string_view("\n\r|\0", 4)) != std::string_view::npos) return std::nullopt;
  return escaped(path, "$ :", '$');
}

std::string shell_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return is_alphanumeric(c) || std::string_view("_-+./,:@%").find(c) != std::string_view::npos;
  };
  bool plain = !text.empty();
  for (const char c : text) plain = plain && is_plain(c);
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string{c};
  return out + "'";
}

std::string doubled_dollars(std::string_view text) { return escaped(text, "$", '$'); }

std::string markdown_code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) out += c == '`' ? '\'' : c == '|' ? '/' : static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return text.empty() ? "" : out + "`";
}

std::string cmake_text(std::string_view text) { return escaped(text, "\\\"$;", '\\'); }

}  // namespace byoc
