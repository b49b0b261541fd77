// The words of a command line before CLI11 parses them, and all that is wrong with them where it cannot.
#pragma once

#include <string>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace byoc::cli {

// `help COMMAND` as `COMMAND --help`, `version` as `--version`, and other spellings of options as the ones that --help
// lists.
[[nodiscard]] std::vector<std::string> in_usual_words(std::vector<std::string> arguments);

// Errors: a command or options that there are not, with the one that was probably meant; everything that is missing;
// or else what CLI11 found first.
void tell_problems(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::ParseError& error,
                   Diagnostics& diags);

// True if the words ask for diagnostics as JSON; they may not have been parsed.
[[nodiscard]] bool asks_for_json(const std::vector<std::string>& arguments);

}  // namespace byoc::cli
