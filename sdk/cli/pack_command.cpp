#include <memory>

#include "byoc/pack.hpp"
#include "sdk/cli/commands.hpp"

namespace byoc::cli {
namespace {

struct PackCommand {
  std::vector<std::string> folders;
  BuildOptions options;
  std::string target;
  std::string out;
};

}  // namespace

void add_pack(CLI::App& app, Session& session) {
  auto options = std::make_shared<PackCommand>();
  CLI::App* command = app.add_subcommand("pack", "go on from folders that export or build-tree wrote");
  command
      ->add_option("FOLDER", options->folders,
                   "folder with a tree.json; several for a .a, .o or .tar of several models")
      ->required()
      ->check(CLI::ExistingDirectory);
  command->add_option("--target", options->target,
                      "the target that the folders are for; a description whose compiler byoc does not know must be "
                      "named, before a command that a folder says is run");
  add_compiler_options(*command, options->options.compiler);
  add_constant_options(*command, options->options.encoding);
  command->add_option("-o,--output", options->out, kPackOutputs)->required();
  add_pack_options(*command, options->options.pack);
  command->footer("Example:\n  byoc export kws.tflite --target cortex-m4f -o kws/\n  byoc pack kws/ -o kws.a");
  command->callback([options, &session] {
    session.action = [options, &session]() -> Result<void> {
      if (!options->target.empty()) {
        auto target = find_target(options->target, session.diags);
        if (!target) return failure;
        options->options.target = std::move(*target);
      }
      return pack_folders(options->folders, options->options, options->out, session.diags);
    };
  });
}

}  // namespace byoc::cli
