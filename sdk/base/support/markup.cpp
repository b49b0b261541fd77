#include "sdk/base/support/markup.hpp"

#include <cctype>

#include "sdk/base/support/visible.hpp"

namespace byoc {

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : visible_multiline(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_[]#|~";
  const std::string from = markup_text(visible_text(text));
  const auto in_word = [&](std::size_t i) { return i < from.size() && std::isalnum(from[i] & 0xff) != 0; };
  std::string out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    // An underscore inside of a word means nothing.
    const bool joins = from[i] == '_' && i != 0 && in_word(i - 1) && in_word(i + 1);
    if (kMarks.find(from[i]) != std::string_view::npos && !joins) out += '\\';
    out += from[i];
  }
  return out;
}

}  // namespace byoc
