// Groups of commands and options in --help, and options that are hidden because they have no effect on the command.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {
namespace {

struct OptionGroup {
  const char* title;
  std::span<const char* const> names;
};

constexpr const char* kModel[] = {"--dim",         "--signature", "--fold-limit",  "--no-lift",
                                  "--no-optimise", "--name",      "--input-names", "--output-names"};
constexpr const char* kPlacement[] = {"--prefer",           "--pin",         "--max-region-nodes",
                                      "--min-region-nodes", "--max-regions", "--require-exact"};
constexpr const char* kPlugins[] = {"--plugin",        "--plugin-option", "--isolate",      "--plugin-timeout",
                                    "--plugin-memory", "--plugin-log",    "--check-sources"};
constexpr const char* kCompiling[] = {
    "--toolchain", "--compiler-launcher", "--debug", "--cache", "--cache-limit", "--jobs", "--lto", "--opt-level"};
constexpr const char* kLibrary[] = {
    "--executor",       "--optimize", "--max-ram",   "--max-flash",    "--freestanding", "--reuse-inputs",
    "--profile-hook",   "--tap",      "--resumable", "--constants-as", "--pack-imports", "--tar-of",
    "--system-library", "--add-file", "--fsync",     "--threads",      "--multiversion"};
constexpr const char* kWeights[] = {"--weights-blob", "--weights-above", "--weights-key", "--weights-sequence",
                                    "--weights-address"};
constexpr const char* kReports[] = {"--report", "--depfile", "--sbom", "--model-licence", "--work-dir"};

constexpr OptionGroup kGroups[] = {
    {"Model", kModel},        {"Who takes what", kPlacement}, {"Plug-ins", kPlugins},
    {"Compiler", kCompiling}, {"Library", kLibrary},          {"Weights in a file of their own", kWeights},
    {"Reports", kReports},
};

constexpr const char* kFurther = "Further options";

// The options that --help shows of commands with many; --help-all has the others.
constexpr const char* kOfExport[] = {"--help",      "--target",  "--output",    "--name",  "--executor",
                                     "--optimize",  "--max-ram", "--max-flash", "--dim",   "--plugin",
                                     "--toolchain", "--report",  "--cache",     "--quiet", "--weights-blob"};
constexpr const char* kOfRun[] = {"--help",  "--target",  "--input",        "--fill",   "--output-dir",
                                  "--top",   "--compare", "--dump-tensors", "--cycles", "--flash",
                                  "--stats", "--report",  "--dim",          "--plugin", "--remote"};
constexpr const char* kOfCompare[] = {"--help", "--target", "--input",  "--fill", "--within",
                                      "--dim",  "--python", "--plugin", "--quiet"};

struct Basics {
  std::string_view command;
  std::span<const char* const> names;
};
constexpr Basics kBasics[] = {{"export", kOfExport}, {"run", kOfRun}, {"compare", kOfCompare}};

// Commands by their use.
constexpr const char* kUse[] = {"export", "run", "compare", "new", "inspect", "targets", "report"};
constexpr const char* kLinking[] = {"pack", "pack-constants", "linker-fragment", "verify", "sign", "diff"};
constexpr const char* kOthersCode[] = {"plugins", "partition", "check-plugin", "replay"};
constexpr const char* kBuilding[] = {"batch", "build-tree", "cc"};
constexpr const char* kRemote[] = {"serve"};
constexpr const char* kTerminal[] = {"completion"};

constexpr OptionGroup kCommandGroups[] = {{"Use", kUse},
                                          {"Package and link", kLinking},
                                          {"Plug-ins", kOthersCode},
                                          {"Build systems", kBuilding},
                                          {"Other machines", kRemote},
                                          {"Terminal", kTerminal}};

// Taken, so that it may follow export's command line, and of no effect.
constexpr const char* kUnusedByPartition[] = {"--compiler-launcher",
                                              "--debug",
                                              "--cache",
                                              "--cache-limit",
                                              "--jobs",
                                              "--lto",
                                              "--name",
                                              "--constants-as",
                                              "--pack-imports",
                                              "--profile-hook",
                                              "--resumable",
                                              "--tap",
                                              "--input-names",
                                              "--output-names"};

}  // namespace

bool is_detail(std::string_view group) {
  return group == kFurther ||
         std::any_of(std::begin(kGroups), std::end(kGroups), [&](const OptionGroup& g) { return group == g.title; });
}

bool has_details(const CLI::App& command) {
  return std::any_of(std::begin(kBasics), std::end(kBasics),
                     [&](const Basics& basics) { return basics.command == command.get_name(); });
}

namespace {

// Everything that --help does not show has a group of its own.
void keep_basics(CLI::App& command) {
  for (const Basics& basics : kBasics) {
    if (basics.command != command.get_name()) continue;
    for (CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->nonpositional(); }))
      if (option->get_group() == "Options") option->group(kFurther);
    for (const char* name : basics.names)
      if (CLI::Option* option = command.get_option_no_throw(name)) option->group("Options");
  }
}

}  // namespace

void group_options(CLI::App& command) {
  for (const OptionGroup& group : kCommandGroups)
    for (const std::string_view name : group.names)
      if (command.get_name() == name) command.group(group.title);
  constexpr std::size_t kFew = 20;  // options that are one list
  if (command.get_options().size() > kFew)
    for (const OptionGroup& group : kGroups)
      for (const char* name : group.names)
        if (CLI::Option* option = command.get_option_no_throw(name)) option->group(group.title);
  keep_basics(command);
  if (command.get_name() != "partition") return;
  for (const char* name : kUnusedByPartition)
    if (CLI::Option* option = command.get_option_no_throw(name)) option->group("");
}

}  // namespace byoc::cli
