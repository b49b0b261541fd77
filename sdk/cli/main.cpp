// byoc: the command line. Parses, calls the library, prints diagnostics.
#include <cstdio>
#include <exception>

#include "sdk/cli/commands.hpp"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongCommandLine = 2;

constexpr const char* kFooter =
    "Examples:\n"
    "  byoc export model.tflite --target cortex-m4f -o model.a\n"
    "  byoc run model.onnx --target cortex-m55 --input x.npy --output-dir out --stats stats.json\n"
    "Each command has its own --help.";

// The first word, if it should have been a command and is none. CLI11 itself would only miss a command.
const char* unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return nullptr;
  const auto named = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  return app.get_subcommands(named).empty() ? argv[1] : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("byoc turns a trained model (ONNX, TFLite) into a link-ready library for one target.", "byoc");
  app.set_version_flag("--version", "byoc " BYOC_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  byoc::cli::Session session;
  byoc::cli::add_export(app, session);
  byoc::cli::add_run(app, session);
  byoc::cli::add_targets(app, session);
  byoc::cli::add_inspect(app, session);
  byoc::cli::add_build_tree(app, session);
  byoc::cli::add_pack(app, session);
  byoc::cli::add_pack_constants(app, session);
  byoc::cli::add_linker_fragment(app, session);
  byoc::cli::add_verify(app, session);
  byoc::cli::add_plugins(app, session);
  byoc::cli::add_partition(app, session);
  byoc::cli::add_check_plugin(app, session);
  if (const char* word = unknown_command(app, argc, argv)) {
    std::fprintf(stderr, "error: '%s' is not a command of byoc; these are:", word);
    for (const CLI::App* command : app.get_subcommands({})) std::fprintf(stderr, " %s", command->get_name().c_str());
    std::fprintf(stderr, "\n");
    return kWrongCommandLine;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongCommandLine;
  }
  bool ok = false;
  try {
    ok = bool(session.action());
  } catch (const std::exception& error) {
    session.diags.error({}, {}, std::string("internal error: ") + error.what());
  }
  for (const byoc::Diagnostic& d : session.diags.all()) std::fprintf(stderr, "%s\n", byoc::to_string(d).c_str());
  return ok && !session.diags.has_errors() ? 0 : kFailed;
}
