#include "sdk/app/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>

#include "sdk/base/support/nearest.hpp"
#include "sdk/base/support/word_list.hpp"

namespace byoc::cli {
namespace {

// How an option is also spelled, and its name.
constexpr std::pair<const char*, const char*> kOtherSpellings[] = {{"--optimise", "--optimize"},
                                                                   {"--no-optimize", "--no-optimise"}};

std::string option_name(const std::string& word) { return word.substr(0, word.find('=')); }

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// "--target", "--target=x", "-o", "-ofile"; not "-1", which is a value.
bool is_option(const std::string& word) {
  if (word.starts_with("--")) return word.size() > 2 && is_letter(word[2]);
  return word.size() > 1 && word[0] == '-' && is_letter(word[1]);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* command : app.get_subcommands({})) out.push_back(command->get_name());
  return out;
}

// The command that the words name; null if they name none.
const CLI::App* named_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (std::find(arguments.begin(), arguments.end(), command->get_name()) != arguments.end()) return command;
  return nullptr;
}

class Problems {
 public:
  Problems(const CLI::App& app, const CLI::App& command, Diagnostics& diags)
      : app_(app), command_(command), diags_(diags) {}

  // True if there are some.
  bool tell(const std::vector<std::string>& arguments) {
    const std::size_t before = diags_.count();
    tell_unknown(arguments);
    tell_missing(arguments);
    return diags_.count() != before;
  }

 private:
  [[nodiscard]] std::vector<std::string> long_names() const {
    std::vector<std::string> out;
    for (const CLI::App* from : {&command_, &app_})
      for (const CLI::Option* option : from->get_options())
        for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
    return out;
  }

  [[nodiscard]] bool is_known(const std::string& word) const {
    const std::string name = word.starts_with("--") ? option_name(word) : word.substr(0, 2);
    return command_.get_option_no_throw(name) != nullptr || app_.get_option_no_throw(name) != nullptr;
  }

  void tell_unknown(const std::vector<std::string>& arguments) {
    const std::vector<std::string> names = long_names();
    for (const std::string& word : arguments) {
      if (word == "--") break;
      if (!is_option(word) || is_known(word)) continue;
      const std::string name = option_name(word);
      meant_.insert(nearest(name, names));
      diags_.error({}, name, "is not an option of " + command_.get_name() + did_you_mean(name, names));
    }
  }

  [[nodiscard]] static bool is_given(const CLI::Option& option, const std::vector<std::string>& arguments) {
    return option.count() != 0 || std::any_of(arguments.begin(), arguments.end(), [&](const std::string& word) {
             const bool is_long = word.starts_with("--");
             const std::string name = is_long ? option_name(word).substr(2) : word.substr(0, 2);
             const auto& names = is_long ? option.get_lnames() : option.get_snames();
             return is_option(word) &&
                    std::find(names.begin(), names.end(), is_long ? name : name.substr(1)) != names.end();
           });
  }

  void tell_missing(const std::vector<std::string>& arguments) {
    std::vector<std::string> missing;
    for (const CLI::Option* option : command_.get_options()) {
      const std::string name = option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front();
      if (option->get_required() && !is_given(*option, arguments) && !meant_.contains(name)) missing.push_back(name);
    }
    if (missing.empty()) return;
    diags_.error({}, command_.get_name(),
                 word_list(missing, "and") + (missing.size() == 1 ? " is missing" : " are missing"));
  }

  const CLI::App& app_;
  const CLI::App& command_;
  Diagnostics& diags_;
  std::set<std::string> meant_;
};

void add_note(const std::string& text, Diagnostics& diags) { diags.add({Level::note, {}, {}, text, {}, {}}); }

// Two options that CLI11's text names: "--a excludes --b", "--a requires --b". False if it is another text.
bool tell_pair(const std::string& text, Diagnostics& diags) {
  constexpr std::pair<std::string_view, const char*> kPairs[] = {{" excludes ", "cannot be together with "},
                                                                 {" requires ", "is only for command lines with "}};
  for (const auto& [between, words] : kPairs) {
    const std::size_t at = text.find(between);
    const std::string second = at == std::string::npos ? "" : text.substr(at + between.size());
    if (!text.starts_with('-') || !second.starts_with('-') || second.find(' ') != std::string::npos) continue;
    diags.error({}, text.substr(0, at), words + second);
    return true;
  }
  return false;
}

// "The following arguments were not expected: b a"
bool tell_extras(const std::string& text, Diagnostics& diags) {
  constexpr std::string_view kBefore = " not expected: ";
  const std::size_t at = text.find(kBefore);
  if (!text.starts_with("The following argument") || at == std::string::npos) return false;
  std::istringstream stream(text.substr(at + kBefore.size()));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.insert(words.begin(), word);  // CLI11 has the last one in front
  for (const std::string& word : words) diags.error({}, word, "is one argument too many");
  return true;
}

// CLI11's text about an option, behind "--jobs: ".
void tell_option(const std::string& option, const std::string& text, Diagnostics& diags) {
  constexpr std::string_view kTwice = "At Most 1 required but received ", kValue = "Value ", kRange = " not in range ";
  const std::size_t range = text.rfind(kRange);
  if (text.starts_with(kTwice))
    diags.error({}, option, "is given more than once", text.substr(kTwice.size()) + " values", "one");
  else if (text.starts_with("1 required ") && text.ends_with(" missing"))
    diags.error({}, option, "has no value");
  else if (text.starts_with(kValue) && range != std::string::npos && range >= kValue.size())
    diags.error({}, option, "is no number in its range", text.substr(kValue.size(), range - kValue.size()),
                text.substr(range + kRange.size()));
  else
    diags.error({}, option, text);
}

// "--jobs: Value 0 not in range 1 to 4096" names the option in front.
void tell_found(const CLI::ParseError& error, Diagnostics& diags) {
  const std::string text = error.what();
  if (tell_pair(text, diags) || tell_extras(text, diags)) return;
  const std::size_t colon = text.find(": ");
  const std::string front = text.substr(0, colon);
  if (colon == std::string::npos || front.find(' ') != std::string::npos)
    diags.error({}, {}, text);
  else
    tell_option(front, text.substr(colon + 2), diags);
}

}  // namespace

std::vector<std::string> in_usual_words(std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments[0] == "version") arguments[0] = "--version";
  if (arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.insert(arguments.begin() + (arguments.empty() ? 0 : 1), "--help");
  }
  for (std::string& word : arguments) {
    if (word == "--") break;
    for (const auto& [other, usual] : kOtherSpellings)
      if (option_name(word) == other) word = usual + word.substr(std::string_view(other).size());
  }
  return arguments;
}

void tell_problems(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::ParseError& error,
                   Diagnostics& diags) {
  const CLI::App* const command = named_command(app, arguments);
  if (command != nullptr) {
    if (!Problems(app, *command, diags).tell(arguments)) tell_found(error, diags);
    add_note("byoc " + command->get_name() + " --help has its options", diags);
    return;
  }
  const std::vector<std::string> names = command_names(app);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  const auto word =
      std::find_if(arguments.begin(), arguments.end(), [](const std::string& w) { return !is_option(w); });
  if (!arguments.empty() && word == arguments.begin())
    diags.error({}, *word, "is not a command of byoc" + did_you_mean(*word, names), {}, all);
  else if (arguments.empty())
    diags.error({}, {}, "a command is missing", {}, all);
  else
    tell_found(error, diags);
  add_note("byoc --help says what they do", diags);
}

bool asks_for_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--diagnostics=json" ||
        (arguments[i] == "--diagnostics" && i + 1 < arguments.size() && arguments[i + 1] == "json"))
      return true;
  return false;
}

}  // namespace byoc::cli
