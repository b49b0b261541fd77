// byoc new: a firmware project around a model.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/export_summary.hpp"
#include "sdk/app/project/project.hpp"
#include "sdk/base/support/quoting.hpp"

namespace byoc::cli {
namespace {

struct NewCommand {
  std::string board, model, folder, name;
  bool quiet = false;

  Result<void> run(Session& session) const {
    Diagnostics& diags = session.diags;
    const auto chip = project::find_board(board, diags);
    if (!chip || !project::check_folder(folder, diags)) return failure;
    Progress progress(quiet);
    const auto done = write(**chip, progress, diags);
    if (!done) session.cause = cause_of_stage(progress.current(), false);
    return done;
  }

  Result<void> write(const Chip& chip, Progress& progress, Diagnostics& diags) const {
    ModelOptions options;
    options.model = model;
    options.target = chip.name;
    options.request.name = name;
    auto setup = options.resolve(progress, diags);
    if (!setup) return failure;
    const auto loaded = options.load(*setup, progress, diags);
    if (!loaded) return failure;
    const auto compiled = CompiledModel::compile(*loaded, setup->codegens, setup->request, diags);
    if (!compiled || !setup->codegens.end(diags)) return failure;
    const auto written = project::write_project(
        {chip, folder, model, compiled->files_read(), compiled->interface(), compiled->sizes()}, diags);
    if (!written) return failure;
    return quiet ? Result<void>() : tell(*compiled, *written, diags);
  }

  Result<void> tell(const CompiledModel& compiled, const std::vector<std::string>& written, Diagnostics& diags) const {
    std::fputs(memory_text(compiled.interface(), compiled.sizes()).c_str(), stdout);
    std::printf("wrote  %zu files into %s\n", written.size(), folder.c_str());
    const ShellText from = shell_word(folder), to = shell_word(folder + "/build");
    const ShellText build = "build  cmake -S " + from + " -B " + to + " && cmake --build " + to + "\n";
    const ShellText run = "run    cmake --build " + to + " --target run\n";
    std::fputs((build + run).text().c_str(), stdout);
    return flush_output(diags);
  }
};

}  // namespace

void add_new(CLI::App& app, Session& session) {
  auto options = std::make_shared<NewCommand>();
  CLI::App* command = app.add_subcommand("new", "write a firmware project around a model, which builds and runs");
  command->add_option("DIR", options->folder, "folder of the project; it is empty or not there")->required();
  command->add_option("--board", options->board, "board or chip, of the second table of 'byoc targets'")->required();
  command->add_option("--model", options->model, "the model: .onnx, .tflite or graph text; it is copied")->required();
  command->add_option("--name", options->name, "C identifier that public symbols start with; default: the file's name");
  command->add_flag("-q,--quiet", options->quiet, "no progress, no summary");
  command->footer(
      "Example:\n  byoc new --board nucleo-f446re --model kws.tflite kws\n"
      "  cmake -S kws -B kws/build\n  cmake --build kws/build --target run");
  command->callback([options, &session] { session.action = [options, &session] { return options->run(session); }; });
}

}  // namespace byoc::cli
