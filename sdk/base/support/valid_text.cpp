#include "sdk/base/support/valid_text.hpp"

#include <algorithm>

namespace byoc {
namespace {

constexpr std::size_t kLongestName = 255;  // that file systems take

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

// True if the text has only letters, digits, '_' and `others`.
bool consists_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_word(c) || others.find(c) != others.npos; });
}

// True if `fits` accepts every part of the path.
template <class F>
bool all_parts(std::string_view path, const F& fits) {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
    if (!fits(path.substr(0, slash))) return false;
    path.remove_prefix(slash + 1);
  }
  return fits(path);
}

}  // namespace

bool is_identifier(std::string_view text) { return !text.empty() && !is_digit(text[0]) && consists_of(text, ""); }

bool is_symbol_name(std::string_view text) { return !text.empty() && !is_digit(text[0]) && consists_of(text, ".$"); }

bool is_section_name(std::string_view text) {
  return text.size() > 1 && text[0] == '.' && consists_of(text.substr(1), ".");
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && text[0] != '.' && text[0] != '-' && consists_of(text, ".+-");
}

bool is_plain_path(std::string_view text) { return all_parts(text, is_plain_name); }

bool is_inside_path(std::string_view text) {
  return is_one_line(text) &&
         all_parts(text, [](std::string_view part) { return !part.empty() && part != "." && part != ".."; });
}

bool is_option_value(std::string_view text) { return consists_of(text, ".+-="); }

bool is_opt_level(std::string_view text) {
  return text.empty() || (text.size() == 1 && std::string_view("0123sz").find(text[0]) != std::string_view::npos);
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_label(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return text.size() <= kLongest && is_one_line(text);
}

Result<void> check_text(const std::string& text, const TextRule& rule, const std::string& file, const std::string& what,
                        Diagnostics& diags) {
  if (rule.fits(text)) return {};
  return diags.error(file, what, "has text that it cannot have", "'" + text + "'", rule.expected);
}

}  // namespace byoc
