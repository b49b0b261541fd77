#include "sdk/app/cli/page_facts.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "sdk/app/cli/export_summary.hpp"
#include "sdk/base/page/text.hpp"
#include "sdk/base/support/quoting.hpp"
#include "sdk/library/object/file_hash.hpp"
#include "sdk/target/target/chips.hpp"

namespace byoc::cli {
namespace {

// Options that change nothing of what is told: places of files, secrets, what is printed.
constexpr std::array<std::string_view, 18> kUntold = {
    "--target", "--output",       "--report",     "--stats",       "--depfile", "--quiet",
    "--force",  "--output-dir",   "--cache",      "--cache-limit", "--record",  "--work-dir",
    "--jobs",   "--dump-tensors", "--token-file", "--html",        "--json",    "--weights-key"};

bool is_told(const std::string& name) { return std::ranges::find(kUntold, name) == kUntold.end(); }

// The word for what the parser made of it.
std::string said_word(const std::string& option, const std::string& value) {
  constexpr std::array<const char*, 3> kObjectives{"balanced", "speed", "size"};  // as Objective has them
  if (option != "--optimize" || value.size() != 1 || value[0] < '0' || value[0] > '2') return shell_word(value).text();
  return kObjectives.at(static_cast<std::size_t>(value[0] - '0'));
}

std::string chip_text(const Chip& chip) {
  std::string out = (chip.chip.empty() ? chip.name : chip.name + " (" + chip.chip + ")") + ": " + chip.target;
  if (chip.flash != 0) out += ", " + page::bytes_text(chip.flash) + " flash";
  if (chip.ram != 0) out += ", " + page::bytes_text(chip.ram) + " RAM";
  return chip.mhz == 0 ? out : out + ", " + std::to_string(chip.mhz) + " MHz at most";
}

void add_target(const TargetSpec& target, page::Facts& facts) {
  facts.emplace_back("target", target.name + (target.triple.empty() ? "" : " (" + target.triple + ")"));
  if (const Chip* chip = find_chip(target.name)) facts.emplace_back("chip", chip_text(*chip));
}

}  // namespace

std::vector<std::string> options_in_words(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    std::string text = "--" + option->get_lnames().front();
    if (!is_told(text)) continue;
    const std::string name = text;
    if (option->get_items_expected_max() != 0)
      for (const std::string& value : option->results()) text += " " + said_word(name, value);
    out.push_back(std::move(text));
  }
  return out;
}

page::Facts page_facts(const CLI::App& command, const std::string& model, const TargetSpec* target) {
  page::Facts facts = {{"file", std::filesystem::path(model).filename().string()}};
  if (const std::string hash = sha256_of_file(model); !hash.empty()) facts.emplace_back("SHA-256", hash);
  if (target != nullptr) add_target(*target, facts);
  std::string options;
  for (const std::string& option : options_in_words(command)) options += (options.empty() ? "" : " ") + option;
  facts.emplace_back("options", options.empty() ? "none" : options);
  return facts;
}

std::string page_with_facts(std::string html, const CLI::App& command, const std::string& model,
                            const TargetSpec* target) {
  return page::with_facts(std::move(html), page_facts(command, model, target));
}

}  // namespace byoc::cli
