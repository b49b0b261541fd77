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
