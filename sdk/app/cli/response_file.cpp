#include "sdk/app/cli/response_file.hpp"

#include <optional>

#include "sdk/base/support/file.hpp"

namespace byoc::cli {
namespace {

constexpr std::size_t kDeepestFile = 16;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Nullopt if a quote is not closed.
std::optional<std::vector<std::string>> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (!is_space(c)) {
      word += c;
      in_word = true;
    } else if (in_word) {
      out.push_back(std::move(word));
      word.clear();
      in_word = false;
    }
  }
  if (quote != 0) return std::nullopt;
  if (in_word) out.push_back(std::move(word));
  return out;
}

Result<void> expand(const std::vector<std::string>& arguments, std::size_t depth, std::vector<std::string>& out,
                    Diagnostics& diags) {
  for (const std::string& a : arguments) {
    if (a.size() < 2 || a[0] != '@') {
      out.push_back(a);
      continue;
    }
    if (a[1] == '@') {
      out.push_back(a.substr(1));
      continue;
    }
    const std::string file = a.substr(1);
    if (depth == kDeepestFile) return diags.error(file, a, "files of arguments name each other");
    const auto text = read_text(file, diags);
    if (!text) return failure;
    const auto words = words_of(*text);
    if (!words) return diags.error(file, a, "quotes do not end");
    if (!expand(*words, depth + 1, out, diags)) return failure;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> with_response_files(const std::vector<std::string>& arguments, Diagnostics& diags) {
  std::vector<std::string> out;
  if (!expand(arguments, 0, out, diags)) return failure;
  return out;
}

}  // namespace byoc::cli
