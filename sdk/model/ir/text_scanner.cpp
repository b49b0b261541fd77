#include "sdk/model/ir/text_scanner.hpp"

#include <algorithm>

namespace byoc::ir::text {
namespace {

constexpr std::size_t kLongestExcerpt = 40;  // characters of the text shown in a message

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

void Scanner::skip() {
  while (at_ < text_.size()) {
    if (is_space(text_[at_])) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool Scanner::at_end() {
  skip();
  return at_ == text_.size();
}

char Scanner::peek() { return at_end() ? '\0' : text_[at_]; }

std::size_t Scanner::position() {
  skip();
  return at_;
}

std::string_view Scanner::peek_word() {
  skip();
  std::size_t end = at_;
  if (end < text_.size() && is_letter(text_[end]))
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  return text_.substr(at_, end - at_);
}

bool Scanner::take(std::string_view punctuation) {
  skip();
  if (text_.substr(at_, punctuation.size()) != punctuation) return false;
  at_ += punctuation.size();
  return true;
}

bool Scanner::take_word(std::string_view word) {
  if (peek_word() != word) return false;
  at_ += word.size();
  return true;
}

Result<void> Scanner::expect(std::string_view punctuation) {
  if (!take(punctuation)) return unexpected("'" + std::string(punctuation) + "'");
  return {};
}

Result<std::string_view> Scanner::identifier(std::string_view what) {
  const std::string_view word = peek_word();
  if (word.empty()) return unexpected(what);
  at_ += word.size();
  return word;
}

Result<std::string> Scanner::name(std::string_view what) {
  if (peek() == '"') return quoted(what);
  auto word = identifier(what);
  if (!word) return failure;
  return std::string(*word);
}

Result<std::string> Scanner::quoted(std::string_view what) {
  if (!take("\"")) return unexpected(what);
  const std::size_t start = at_ - 1;
  std::string out;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      ++at_;
      return out;
    }
    if (c == '\n') break;
    if (c != '\\') {
      out += c;
      continue;
    }
    const char escape = ++at_ < text_.size() ? text_[at_] : '\0';
    if (escape == '"' || escape == '\\') {
      out += escape;
    } else if (escape == 'n') {
      out += '\n';
    } else {
      const int high = escape == 'x' && at_ + 2 < text_.size() ? hex_digit(text_[at_ + 1]) : -1;
      const int low = high >= 0 ? hex_digit(text_[at_ + 2]) : -1;
      if (low < 0) return error(at_ - 1, "unknown escape in a string", {}, R"(\", \\, \n or \xNN)");
      out += static_cast<char>(high * 16 + low);
      at_ += 2;
    }
  }
  return error(start, "a string does not end on its line");
}

Result<std::vector<std::byte>> Scanner::hex_bytes(std::uint64_t limit) {
  if (!take("\"")) return unexpected("'\"'");
  std::vector<std::byte> out;
  while (at_ < text_.size() && text_[at_] != '"') {
    const int high = hex_digit(text_[at_]);
    const int low = at_ + 1 < text_.size() ? hex_digit(text_[at_ + 1]) : -1;
    if (high < 0 || low < 0) return error(at_, "not two hexadecimal digits", std::string(text_.substr(at_, 2)));
    if (out.size() == limit)
      return error(at_, "constant data is larger than its type", {}, std::to_string(limit) + " bytes");
    out.push_back(static_cast<std::byte>(high * 16 + low));
    at_ += 2;
  }
  if (!take("\"")) return unexpected("'\"'");
  return out;
}

Result<std::string_view> Scanner::number() {
  skip();
  const std::size_t start = at_;
  auto more = [&] { return at_ < text_.size(); };
  while (more() && (is_digit(text_[at_]) || is_letter(text_[at_]) || text_[at_] == '.' || text_[at_] == '-' ||
                    (text_[at_] == '+' && at_ > start)))
    ++at_;
  if (text_.substr(start, at_ - start) == "nan" && more() && text_[at_] == '(') {
    const std::size_t close = text_.find(')', at_);
    if (close != std::string_view::npos) at_ = close + 1;
  }
  if (at_ == start) return unexpected("a number");
  return text_.substr(start, at_ - start);
}

Failure Scanner::error(std::size_t position, std::string message, std::string found, std::string expected) {
  position = std::min(position, text_.size());
  const std::string_view before = text_.substr(0, position);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? position + 1 : position - newline;
  if (found.size() > kLongestExcerpt) found = found.substr(0, kLongestExcerpt) + "...";
  return diags_.error(file_, std::to_string(line) + ":" + std::to_string(column), std::move(message), std::move(found),
                      std::move(expected));
}

Failure Scanner::unexpected(std::string_view what) {
  return error(position(), "unexpected text", describe_next(), std::string(what));
}

std::string Scanner::describe_next() {
  if (at_end()) return "the end of the text";
  const std::string_view word = peek_word();
  if (!word.empty()) return "'" + std::string(word.substr(0, kLongestExcerpt)) + "'";
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  const std::string_view shown = text_.substr(at_, std::clamp<std::size_t>(end - at_, 1, kLongestExcerpt));
  const auto byte = static_cast<unsigned char>(shown[0]);
  if (byte < 0x20 || byte >= 0x7f) return "byte " + std::to_string(byte);
  return "'" + std::string(shown) + "'";
}

}  // namespace byoc::ir::text
