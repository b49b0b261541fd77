#include <memory>

#include "sdk/cli/commands.hpp"
#include "sdk/pipeline/pack_tree.hpp"

namespace byoc::cli {
namespace {

struct PackCommand {
  std::string folder;
  PackTreeOptions options;
  std::string out;
};

}  // namespace

void add_pack(CLI::App& app, Session& session) {
  auto options = std::make_shared<PackCommand>();
  CLI::App* command = app.add_subcommand("pack", "go on from a folder that export or build-tree wrote");
  command->add_option("FOLDER", options->folder, "folder with a tree.json")->required()->check(CLI::ExistingDirectory);
  command->add_option("--toolchain", options->options.toolchain, "who compiles changed C: clang (in process) or gnu")
      ->check(CLI::IsMember({"clang", "gnu"}));
  command
      ->add_option("-o,--output", options->out,
                   "static library (.a), one object (.o) or folder to write; a header and a manifest go beside it")
      ->required();
  command->footer("Example:\n  byoc export kws.tflite --target cortex-m4f -o kws/\n  byoc pack kws/ -o kws.a");
  command->callback([options, &session] {
    session.action = [options, &session] {
      return pack_tree(options->folder, options->options, options->out, session.diags);
    };
  });
}

}  // namespace byoc::cli
