#include <cstdio>

#include "sdk/cli/commands.hpp"
#include "sdk/pack/pack_format.hpp"
#include "sdk/partition/report.hpp"
#include "sdk/support/file.hpp"

namespace byoc::cli {
namespace {

struct ExportCommand {
  ModelOptions model;
  std::string out;
  PackOptions pack;
  std::vector<std::string> add_files;
  std::string work_dir;
  std::string report;

  Result<void> run(Diagnostics& diags) const {
    auto options = model.resolve(diags);
    if (!options) return failure;
    Progress progress(model.quiet);
    options->progress = [&](std::string_view stage) { progress.stage(stage); };
    if (!pack_format(out, diags)) return failure;
    options->add_files = add_files;
    options->model_file = model.model;
    const auto keep = [&](const Package& package) { return write_package(package, work_dir + "/", diags); };
    if (!work_dir.empty()) options->generated = keep;
    progress.stage("import");
    auto graph = load_model(model.model, options->prepare, diags);
    if (!graph) return failure;
    options->step_table = has_step_table(out);
    auto library = compile_model(*graph, *options, diags);
    if (!library) return failure;
    const std::string told = report.empty() ? "" : report_text(*graph, *options, *library);
    if (!ModelOptions::end_codegens(*options, diags)) return failure;
    progress.stage("pack");
    if (!work_dir.empty() && !keep(*library)) return failure;
    if (!write_package(*library, out, diags, pack)) return failure;
    if (!report.empty()) {
      OutputSet files(diags);
      if (!files.add(report, told) || !files.commit()) return failure;
    }
    if (!model.quiet) summarise(*library);
    return {};
  }

  // Asks the codegens, who are still there.
  std::string report_text(const ir::Graph& graph, const ExportOptions& options, const Library& library) const {
    const auto write = report.ends_with(".html") ? partition_html : partition_json;
    return write(graph, options.codegens, options.target, library.partition, library.interface.rewrites,
                 &library.interface);
  }

  void summarise(const Library& library) const {
    const ModelInterface& m = library.interface;
    std::printf("%s: %zu steps, %llu bytes of weights, workspace %llu bytes (largest live set %llu)", out.c_str(),
                m.steps.size(), static_cast<unsigned long long>(m.weight_bytes),
                static_cast<unsigned long long>(m.workspace_bytes),
                static_cast<unsigned long long>(m.workspace_lower_bound));
    for (const PoolWorkspace& w : m.further_workspaces)
      std::printf(", in %s %llu bytes (%llu)", w.pool.c_str(), static_cast<unsigned long long>(w.bytes),
                  static_cast<unsigned long long>(w.lower_bound));
    std::printf("\n");
    show_rewrites(m.rewrites);
  }
};

}  // namespace

void add_export(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExportCommand>();
  CLI::App* command = app.add_subcommand("export", "compile a model into a library with a C header");
  options->model.declare(*command);
  command->add_option("-o,--output", options->out, kPackOutputs)->required();
  add_pack_options(*command, options->pack);
  command->add_option("--add-file", options->add_files,
                      "what goes into the library besides: .c, .ll, .bc, .o or .a; may be repeated");
  command->add_option("--work-dir", options->work_dir,
                      "folder that gets every source, also where one does not compile, and every object");
  command->add_option(
      "--report", options->report,
      "write who takes each node, which kernel and why, and what it costs: R.json, or R.html for people");
  command->footer("Example:\n  byoc export kws.tflite --target cortex-m4f -o build/kws.a");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
