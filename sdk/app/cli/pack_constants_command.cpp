#include <CLI/CLI.hpp>
#include <memory>

#include "byoc/pack.hpp"
#include "sdk/app/cli/commands.hpp"

namespace byoc::cli {
namespace {

struct PackConstantsCommand {
  std::vector<std::string> files;
  std::vector<std::string> symbols;
  std::string target;
  ConstantFileOptions options;
  std::string out;

  [[nodiscard]] Result<void> run(Diagnostics& diags) const {
    auto spec = find_target(target, diags);
    if (!spec) return failure;
    if (!symbols.empty() && symbols.size() != files.size())
      return diags.error({}, {}, "--symbol is wanted once for every file, or never",
                         std::to_string(symbols.size()) + " symbols", std::to_string(files.size()));
    std::vector<ConstantFile> constants;
    for (std::size_t i = 0; i < files.size(); ++i)
      constants.push_back({files[i], symbols.empty() ? std::string() : symbols[i]});
    return pack_files(constants, *spec, options, out, diags);
  }
};

}  // namespace

void add_pack_constants(CLI::App& app, Session& session) {
  auto options = std::make_shared<PackConstantsCommand>();
  CLI::App* command = app.add_subcommand("pack-constants", "put binary files into flash as constants of a library");
  command->add_option("FILE", options->files, "any binary data")->required();
  command
      ->add_option("--symbol", options->symbols, "name of the C array, once for every file; default: the file's name")
      ->take_all()
      ->expected(1);
  command->add_option("--target", options->target, "target name, description file, or option string")->required();
  command->add_option("--align", options->options.align, "alignment in bytes, a power of two")->capture_default_str();
  command->add_option("--region", options->options.region, "flash pool of the target that holds them")
      ->capture_default_str();
  add_compiler_options(*command, options->options.compiler);
  add_constant_options(*command, options->options.encoding);
  command->add_option("-o,--output", options->out, "library (.a) or object (.o); a .h and a .json go beside it")
      ->required();
  add_durability(*command, options->options.durability);
  add_force(*command, options->options.force);
  command->footer("Example:\n  byoc pack-constants logo.bin --symbol logo --target cortex-m4f --align 16 -o logo.a");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
