// The words of the text form, with their positions. Private to the parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/model/ir/text_elements.hpp"

namespace byoc::ir::text {

// Every function skips white space and comments first, and reports at most one error per call. References into the
// text live as long as the text.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file, Diagnostics& diags)
      : text_(text), file_(file), diags_(diags) {}

  [[nodiscard]] bool at_end();
  // The next character, 0 at the end.
  [[nodiscard]] char peek();
  // The identifier that comes next; empty when something else does.
  [[nodiscard]] std::string_view peek_word();
  [[nodiscard]] std::size_t position();

  bool take(std::string_view punctuation);
  bool take_word(std::string_view word);
  Result<void> expect(std::string_view punctuation);

  Result<std::string_view> identifier(std::string_view what);
  // Identifier or quoted string.
  Result<std::string> name(std::string_view what);
  Result<std::string> quoted(std::string_view what);
  // "hex" is taken already: "0a1b" as bytes. At most `limit` of them.
  Result<std::vector<std::byte>> hex_bytes(std::uint64_t limit);
  // Digits, letters and signs of a number, "inf", "nan(0x...)" included; not yet a valid one.
  Result<std::string_view> number();

  template <class T>
  Result<T> number_as(std::string_view what) {
    const std::size_t start = position();
    auto lexeme = number();
    if (!lexeme) return failure;
    T v{};
    if (!read_number(*lexeme, v)) return error(start, "not " + std::string(what), std::string(*lexeme));
    return v;
  }

  // `open` item, item ... `close`; item() parses one.
  template <class F>
  Result<void> list(std::string_view open, std::string_view close, F&& item) {
    if (!expect(open)) return failure;
    if (take(close)) return {};
    do {
      if (!item()) return failure;
    } while (take(","));
    return expect(close);
  }

  template <class T>
  Result<std::vector<T>> numbers(std::string_view what) {
    std::vector<T> out;
    auto item = [&]() -> Result<void> {
      auto v = number_as<T>(what);
      if (!v) return failure;
      out.push_back(*v);
      return {};
    };
    if (!list("[", "]", item)) return failure;
    return out;
  }

  Failure error(std::size_t position, std::string message, std::string found = {}, std::string expected = {});
  // Error at the next word: "found 'that', expected `what`".
  Failure unexpected(std::string_view what);

 private:
  void skip();
  [[nodiscard]] std::string describe_next();

  std::string_view text_;
  const std::string& file_;
  Diagnostics& diags_;
  std::size_t at_ = 0;
};

}  // namespace byoc::ir::text
