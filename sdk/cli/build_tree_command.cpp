#include <memory>

#include "byoc/pack.hpp"
#include "sdk/cli/commands.hpp"

namespace byoc::cli {
namespace {

struct BuildTreeCommand {
  std::vector<std::string> files;
  std::string target;
  BuildOptions options;
  std::string out;

  [[nodiscard]] Result<void> run(Diagnostics& diags) const {
    auto spec = find_target(target, diags);
    if (!spec) return failure;
    return build_library(files, *spec, options, out, diags);
  }
};

}  // namespace

void add_build_tree(CLI::App& app, Session& session) {
  auto options = std::make_shared<BuildTreeCommand>();
  CLI::App* command =
      app.add_subcommand("build-tree", "compile LLVM modules and C sources for one target into a library");
  command->add_option("FILE", options->files, "LLVM module (.bc, .ll), C source (.c), object (.o) or library (.a)")
      ->required();
  command->add_option("--target", options->target, "target name, description file, or option string")->required();
  add_compiler_options(*command, options->options.compiler);
  add_opt_level(*command, options->options.opt_level, "2");
  add_constant_options(*command, options->options.encoding);
  command->add_option("-o,--output", options->out, kPackOutputs)->required();
  add_pack_options(*command, options->options.pack);
  command->footer(
      "Example:\n  byoc build-tree filter.ll glue.c --target 'arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard' -o "
      "libfilter.a");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
