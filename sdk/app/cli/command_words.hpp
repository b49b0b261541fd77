// The words of the command line: commands, options and the values that an option has names for.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace byoc::cli {

struct OptionWords {
  // Any text, which may be the name of a file; no value; a number; one of `words`.
  enum class Value { text, none, number, words };
  std::vector<std::string> long_names, short_names;  // with their hyphens
  std::string description;                           // up to its first semicolon
  Value value = Value::text;
  std::vector<std::string> words;
  std::string files;  // a pattern of files beside the words; "": none

  [[nodiscard]] std::vector<std::string> names() const;
};

struct CommandWords {
  std::string name;  // "export"; "report from-log" is a part of "report"; "": byoc itself
  std::string description;
  std::vector<OptionWords> options;
  std::vector<std::string> words;  // that may follow it: its parts, or the values of its argument; none: files
};

// byoc itself, its commands in the order of --help, and their parts, each behind its command.
[[nodiscard]] std::vector<CommandWords> command_words(const CLI::App& app);

}  // namespace byoc::cli
