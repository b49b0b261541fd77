#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"
#include "sdk/target/target/chips.hpp"
#include "sdk/target/target/compiler_condition.hpp"
#include "sdk/target/target/source_target.hpp"
#include "sdk/target/target/target.hpp"

namespace byoc::cli {

namespace {

struct Wish {
  std::string condition, search;
  bool json = false;
};

std::string features_of(const TargetSpec& t) {
  std::string out;
  for (const std::string& feature : t.isa) out += (out.empty() ? "" : ",") + feature;
  return out;
}

const std::string& core_of(const TargetSpec& t) { return t.cpu.empty() ? t.march : t.cpu; }

std::string kibibytes(std::uint64_t bytes) { return bytes == 0 ? "on board" : std::to_string(bytes / 1024) + " KiB"; }

std::vector<TargetSpec> named_targets(const std::string& search) {
  std::vector<TargetSpec> out = targets();
  out.push_back(source_target());
  std::erase_if(out, [&](const TargetSpec& t) { return t.name.find(search) == std::string::npos; });
  return out;
}

std::vector<Chip> named_chips(const std::string& search) {
  std::vector<Chip> out = chips();
  std::erase_if(out, [&](const Chip& c) {
    return c.name.find(search) == std::string::npos && c.chip.find(search) == std::string::npos;
  });
  return out;
}

// Names have nothing that JSON would have to quote.
void print_json(const std::vector<TargetSpec>& all, const std::vector<Chip>& parts) {
  const char* between = "[\n  ";
  for (const TargetSpec& t : all) {
    std::printf(R"(%s{"name": "%s", "triple": "%s", "core": "%s", "features": "%s"})", between, t.name.c_str(),
                t.triple.c_str(), core_of(t).c_str(), features_of(t).c_str());
    between = ",\n  ";
  }
  for (const Chip& c : parts) {
    std::printf(R"(%s{"name": "%s", "chip": "%s", "target": "%s", "flash": %llu, "ram": %llu, "mhz": %u})", between,
                c.name.c_str(), c.chip.empty() ? c.name.c_str() : c.chip.c_str(), c.target.c_str(),
                static_cast<unsigned long long>(c.flash), static_cast<unsigned long long>(c.ram), c.mhz);
    between = ",\n  ";
  }
  std::printf("%s]\n", all.empty() && parts.empty() ? "[" : "\n");
}

void print_tables(const std::vector<TargetSpec>& all, const std::vector<Chip>& parts) {
  if (!all.empty()) std::printf("%-20s %-32s %-12s %s\n", "target", "triple", "core", "features");
  for (const TargetSpec& t : all)
    std::printf("%-20s %-32s %-12s %s\n", t.name.c_str(), t.triple.c_str(), core_of(t).c_str(), features_of(t).c_str());
  if (!all.empty() && !parts.empty()) std::printf("\n");
  if (!parts.empty())
    std::printf("%-20s %-20s %-14s %10s %10s %6s\n", "chip or board", "chip", "target", "flash", "RAM", "MHz");
  for (const Chip& c : parts)
    std::printf("%-20s %-20s %-14s %10s %10s %6u\n", c.name.c_str(), c.chip.c_str(), c.target.c_str(),
                kibibytes(c.flash).c_str(), kibibytes(c.ram).c_str(), c.mhz);
}

Result<void> answer(const Wish& wish, Session& session) {
  if (!wish.condition.empty()) {
    const auto target = resolve_target(wish.condition, session.diags);
    if (!target) return failure;
    const std::string text = condition_to_run(*target);
    std::printf("%s\n", text.empty() ? "1" : text.c_str());
    return {};
  }
  std::string search = wish.search;
  std::transform(search.begin(), search.end(), search.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::vector<TargetSpec> all = named_targets(search);
  const std::vector<Chip> parts = named_chips(search);
  if (all.empty() && parts.empty())
    return session.diags.error({}, {}, "no target, chip or board has this in its name", "'" + wish.search + "'",
                               "a part of a name of byoc targets; --target takes any core by options, too");
  (wish.json ? print_json : print_tables)(all, parts);
  return {};
}

}  // namespace

void add_targets(CLI::App& app, Session& session) {
  auto wish = std::make_shared<Wish>();
  CLI::App* command = app.add_subcommand("targets", "list the targets, chips and boards that have a name");
  command->add_option("search", wish->search, "a part of the name: those alone that have it");
  command->add_flag("--json", wish->json, "as JSON, memories in bytes");
  command->add_option("--condition", wish->condition,
                      "print the condition of C's preprocessor that compilers fulfil whose programs can run code for "
                      "this target, instead");
  command->footer("Example:\n  byoc targets stm32l4\n  byoc targets --condition cortex-m33+nodsp");
  command->callback([wish, &session] { session.action = [wish, &session] { return answer(*wish, session); }; });
}

}  // namespace byoc::cli
