#include <cstdio>

#include "sdk/cli/commands.hpp"
#include "sdk/import/import.hpp"
#include "sdk/ir/text.hpp"

namespace byoc::cli {
namespace {

struct InspectCommand {
  std::string model;
  std::vector<std::string> dims;
  bool prepared = false;
  bool no_lift = false;
  std::size_t longest_constant = 16;

  Result<void> run(Diagnostics& diags) const {
    auto graph = import_model(model, diags);
    if (!graph) return failure;
    if (prepared) {
      auto bound = parse_dims(dims, diags);
      if (!bound || !prepare(*graph, {!no_lift, *bound}, diags)) return failure;
    }
    ir::PrintOptions options;
    options.longest_constant = longest_constant == 0 ? SIZE_MAX : longest_constant;
    std::fputs(ir::print(*graph, options).c_str(), stdout);
    return {};
  }
};

}  // namespace

void add_inspect(CLI::App& app, Session& session) {
  auto options = std::make_shared<InspectCommand>();
  CLI::App* command = app.add_subcommand("inspect", "print a model as graph text");
  command->add_option("MODEL", options->model, "model file: ONNX, TFLite, or graph text")->required();
  command->add_flag("--prepared", options->prepared,
                    "as codegens see it: shapes known, constants folded, quantisation lifted");
  command->add_option("--dim", options->dims, "bind a symbolic dimension, as in --dim N=1; with --prepared");
  command->add_flag("--no-lift", options->no_lift, "keep QDQ and QLinear operators; with --prepared");
  command
      ->add_option("--longest-constant", options->longest_constant,
                   "print larger constants as their hash; 0: print all in full")
      ->capture_default_str();
  command->footer("Example:\n  byoc inspect kws.tflite --prepared");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
