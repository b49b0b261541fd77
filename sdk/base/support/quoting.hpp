// Text of others in files that another program executes or builds from: a function for each language. JSON, YAML, TOML,
// Python, JavaScript and Starlark have json_escaped(), whose escapes mean the same in all of them, XML and HTML
// markup_text(), Markdown markdown_text(), a terminal visible_text(), C and linker scripts c_comment() and
// to_identifier().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace byoc {

// Text of the program itself: a constant of the compiler's.
class Literal {
 public:
  consteval Literal(const char* text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// Text in a language that another program executes. It is put together of literals, numbers and what the functions
// below made for this language, and of nothing else: a name as it is, or one that is quoted for another language, does
// not compile.
template <class Language>
class Quoted {
 public:
  Quoted() = default;
  explicit Quoted(Literal text) : text_(text.text()) {}
  [[nodiscard]] static Quoted number(std::uint64_t n) {
    Quoted out;
    out.text_ = std::to_string(n);
    return out;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

  Quoted& operator+=(Literal more) { return text_ += more.text(), *this; }
  Quoted& operator+=(const Quoted& more) { return text_ += more.text_, *this; }
  friend Quoted operator+(Quoted a, Literal b) { return a += b; }
  friend Quoted operator+(Quoted a, const Quoted& b) { return a += b; }
  friend Quoted operator+(Literal a, const Quoted& b) { return Quoted(a) += b; }

 private:
  friend class Quoting;  // the functions below
  std::string text_;
};

using ShellText = Quoted<struct ShellLanguage>;
using MakeText = Quoted<struct MakeLanguage>;
using NinjaText = Quoted<struct NinjaLanguage>;
using CMakeText = Quoted<struct CMakeLanguage>;

// One word for a POSIX shell (POSIX.1-2017, Shell Command Language, 2.2.2). No NUL in it.
[[nodiscard]] ShellText shell_word(std::string_view text);

// A file's name in a rule that both GNU make and ninja read, as in a depfile (GNU make manual, "Rule Syntax"; what
// ninja takes of it is in its src/depfile_parser.in.cc). Nothing for a name that either of them cannot be told: with
// characters other than letters, digits, spaces, +,/_.{}()@!#:$- and those beyond ASCII, or one that ends with a space
// or ':', or with ')', which names a member of an archive.
[[nodiscard]] std::optional<MakeText> make_name(std::string_view path);
inline constexpr const char* kMakeNames =
    "letters, digits, spaces and +,/_.{}()@!#:$-, with no space, ')' or ':' at the end";
// Shell text as a line of a recipe, or as the value of a variable that recipes use. Nothing for text with the end of a
// line in it.
[[nodiscard]] std::optional<MakeText> make_recipe(const ShellText& line);
[[nodiscard]] std::optional<MakeText> make_value(const ShellText& words);

// A path in a build line of ninja (ninja manual, "Lexical syntax"). Nothing for one with the end of a line, a NUL or
// '|', which separates lists.
[[nodiscard]] std::optional<NinjaText> ninja_path(std::string_view path);
// Shell text, or a name, as the value of a variable. Nothing for one with the end of a line in it.
[[nodiscard]] std::optional<NinjaText> ninja_value(const ShellText& line);
[[nodiscard]] std::optional<NinjaText> ninja_value(std::string_view name);

// Text as code in a line or a cell of Markdown (CommonMark 0.31, "Code spans"; GitHub's tables end cells at '|'). It is
// on one line, and its backticks and bars become ' and /.
[[nodiscard]] std::string markdown_code(std::string_view text);

// Text between double quotes in CMake (cmake-language(7), "Quoted Argument").
[[nodiscard]] CMakeText cmake_text(std::string_view text);

}  // namespace byoc
