// Groups of options in --help, and options that are hidden because they have no effect on the command.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <span>

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
constexpr const char* kLibrary[] = {"--executor",     "--optimize",     "--max-ram",      "--max-flash",
                                    "--freestanding", "--reuse-inputs", "--profile-hook", "--tap",
                                    "--constants-as", "--pack-imports", "--tar-of",       "--system-library",
                                    "--add-file",     "--fsync",        "--threads",      "--multiversion"};
constexpr const char* kWeights[] = {"--weights-blob", "--weights-above", "--weights-key", "--weights-sequence",
                                    "--weights-address"};
constexpr const char* kReports[] = {"--report", "--depfile", "--sbom", "--model-licence", "--work-dir"};

constexpr OptionGroup kGroups[] = {
    {"Model", kModel},        {"Who takes what", kPlacement}, {"Plug-ins", kPlugins},
    {"Compiler", kCompiling}, {"Library", kLibrary},          {"Weights in a file of their own", kWeights},
    {"Reports", kReports},
};

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
                                              "--tap",
                                              "--input-names",
                                              "--output-names"};

}  // namespace

void group_options(CLI::App& command) {
  constexpr std::size_t kFew = 20;  // options that are one list
  if (command.get_options().size() > kFew)
    for (const OptionGroup& group : kGroups)
      for (const char* name : group.names)
        if (CLI::Option* option = command.get_option_no_throw(name)) option->group(group.title);
  if (command.get_name() != "partition") return;
  for (const char* name : kUnusedByPartition)
    if (CLI::Option* option = command.get_option_no_throw(name)) option->group("");
}

}  // namespace byoc::cli
