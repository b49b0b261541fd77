// The text that a file may contain before it becomes a path, a word of a command line, or a part of C, a linker script
// or a Makefile. All readers of our files (docs/formats.md) and of the output of codegens use these checks and no
// others.
#pragma once

#include <string>
#include <string_view>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// An identifier of C: letters, digits and '_', not starting with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);
// The name of a symbol in an object file: as identifiers, '.' and '$' besides.
[[nodiscard]] bool is_symbol_name(std::string_view text);
// May stand in C and in linker scripts: a dot, then letters, digits, '_' and dots.
[[nodiscard]] bool is_section_name(std::string_view text);
// A file, module, target or library: letters, digits and _ . + -, not starting with . or -, at most 255.
[[nodiscard]] bool is_plain_name(std::string_view text);
// Plain names with '/' between them.
[[nodiscard]] bool is_plain_path(std::string_view text);
// A relative path that does not leave the folder it is in, in any characters but control characters.
[[nodiscard]] bool is_inside_path(std::string_view text);
// A value of -mcpu=: letters, digits and _ . + - =; may be empty.
[[nodiscard]] bool is_option_value(std::string_view text);
// A value of -O: 0, 1, 2, 3, s or z; may be empty.
[[nodiscard]] bool is_opt_level(std::string_view text);
// No control characters, so that it ends no line and no string of C; may be empty.
[[nodiscard]] bool is_one_line(std::string_view text);
// A name that a plug-in shows to people: one line of at most 200 bytes; may be empty.
[[nodiscard]] bool is_label(std::string_view text);

// A check of a field's text, and the text that diagnostics say was expected.
struct TextRule {
  bool (*fits)(std::string_view);
  const char* expected;
};
inline constexpr TextRule kIdentifier{is_identifier, "an identifier of C"};
inline constexpr TextRule kSymbolName{is_symbol_name, "letters, digits and _ . $"};
inline constexpr TextRule kSectionName{is_section_name, "the name of a section, as in .bss.dtcm"};
inline constexpr TextRule kPlainName{is_plain_name, "letters, digits and _ . + -, not starting with . or -"};
inline constexpr TextRule kPlainPath{is_plain_path,
                                     "letters, digits and _ . + - /, no part of which starts with . or -"};
inline constexpr TextRule kOptionValue{is_option_value, "letters, digits and _ . + - ="};
inline constexpr TextRule kOptLevel{is_opt_level, "0, 1, 2, 3, s or z"};
inline constexpr TextRule kOneLine{is_one_line, "one line without control characters"};

// Errors: `text` of the field `what` in `file` breaks `rule`.
Result<void> check_text(const std::string& text, const TextRule& rule, const std::string& file, const std::string& what,
                        Diagnostics& diags);

}  // namespace byoc
