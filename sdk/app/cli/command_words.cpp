#include "sdk/app/cli/command_words.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

#include "byoc/pack.hpp"
#include "sdk/export/executors.hpp"
#include "sdk/target/target/chips.hpp"
#include "sdk/target/target/source_target.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::cli {
namespace {

using Words = std::vector<std::string>;

Words split(std::string text) {
  for (char& c : text)
    if (c == ',') c = ' ';
  std::istringstream from(text);
  Words out;
  for (std::string word; from >> word;) out.push_back(word);
  return out;
}

Words target_names() {
  Words out;
  for (const TargetSpec& t : targets()) out.push_back(t.name);
  out.push_back(source_target().name);
  for (const Chip& c : chips()) out.push_back(c.name);
  return out;
}

Words executor_words() {
  Words out;
  for (const executor::Executor* e : executor::executors()) out.push_back(e->name());
  out.emplace_back("interpreted");
  return out;
}

// Options whose words are not those of a check: the value may be another one, too.
struct OpenChoice {
  const char* option;
  Words (*words)();
  const char* files;
};
constexpr OpenChoice kOpenChoices[] = {
    {"--target", target_names, "*.json"}, {"--condition", target_names, "*.json"},
    {"--executor", executor_words, ""},   {"--prefer", [] { return Words{"c", "llvm", "cheapest"}; }, ""},
    {"--as", package_forms, ""},          {"--fill", [] { return Words{"zeros", "ones", "random"}; }, ""},
};

// "TEXT:{a,b}" -> a, b
Words choices_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  return open < close && close != std::string::npos ? split(type.substr(open + 1, close - open - 1)) : Words();
}

OptionWords option_words(const CLI::Option& option) {
  OptionWords out;
  for (const std::string& name : option.get_lnames()) out.long_names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) out.short_names.push_back("-" + name);
  out.description = option.get_description().substr(0, option.get_description().find(';'));
  const std::string type = option.get_type_name();
  out.words = choices_of(type);
  if (option.get_items_expected_max() == 0) {
    out.value = OptionWords::Value::none;
  } else if (!out.words.empty()) {
    out.value = OptionWords::Value::words;
  } else if (type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT")) {
    out.value = OptionWords::Value::number;
  }
  for (const OpenChoice& choice : kOpenChoices) {
    if (!option.check_name(choice.option)) continue;
    out.value = OptionWords::Value::words;
    out.words = choice.words();
    out.files = choice.files;
  }
  return out;
}

void add(const CLI::App& from, const std::string& name, std::vector<CommandWords>& to) {
  CommandWords out{name, from.get_description(), {}, {}};
  for (const CLI::Option* option : from.get_options()) {
    if (!option->get_positional() && option->get_group().empty()) continue;
    if (option->nonpositional())
      out.options.push_back(option_words(*option));
    else if (out.words.empty())
      out.words = choices_of(option->get_type_name());
  }
  const auto parts = from.get_subcommands([](const CLI::App* part) { return !part->get_group().empty(); });
  for (const CLI::App* part : parts) out.words.push_back(part->get_name());
  to.push_back(std::move(out));
  for (const CLI::App* part : parts) add(*part, (name.empty() ? "" : name + " ") + part->get_name(), to);
}

}  // namespace

std::vector<std::string> OptionWords::names() const {
  std::vector<std::string> out = long_names;
  out.insert(out.end(), short_names.begin(), short_names.end());
  return out;
}

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> out;
  add(app, "", out);
  return out;
}

}  // namespace byoc::cli
