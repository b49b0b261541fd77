// Text of others in files that another program executes or builds from: a function for each language. JSON has
// json_escaped(), XML and HTML markup_text(), a terminal visible_text(), C c_comment() and c_identifier().
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace byoc {

// A file's name in a rule that both GNU make and ninja read, as in a depfile (GNU make manual, "Rule Syntax"; what
// ninja takes of it is in its src/depfile_parser.in.cc). Nothing for a name that either of them cannot be told: with
// characters other than letters, digits, spaces, +,/_.{}()@!#:$- and those beyond ASCII, or one that ends with a space
// or ':', or with ')', which names a member of an archive.
[[nodiscard]] std::optional<std::string> make_name(std::string_view path);
inline constexpr const char* kMakeNames =
    "letters, digits, spaces and +,/_.{}()@!#:$-, with no space, ')' or ':' at the end";

// A path in a build line of ninja (ninja manual, "Lexical syntax"). Nothing for one with the end of a line, a NUL or
// '|', which separates lists.
[[nodiscard]] std::optional<std::string> ninja_path(std::string_view path);

// One word for a POSIX shell (POSIX.1-2017, Shell Command Language, 2.2.2). No NUL in it.
[[nodiscard]] std::string shell_word(std::string_view text);

// '$' doubled: a line of a recipe of make, or a value in ninja. No ends of lines in it.
[[nodiscard]] std::string doubled_dollars(std::string_view text);

// Text as code in a line or a cell of Markdown (CommonMark 0.31, "Code spans"; GitHub's tables end cells at '|'). It is
// on one line, and its backticks and bars become ' and /.
[[nodiscard]] std::string markdown_code(std::string_view text);

// Text between double quotes in CMake (cmake-language(7), "Quoted Argument").
[[nodiscard]] std::string cmake_text(std::string_view text);

}  // namespace byoc
