#include <cstdio>
#include <filesystem>

#include "sdk/cli/commands.hpp"
#include "sdk/cli/compare.hpp"
#include "sdk/simulate/dump.hpp"
#include "sdk/simulate/input.hpp"
#include "sdk/simulate/simulate.hpp"
#include "sdk/simulate/stats.hpp"
#include "sdk/support/file.hpp"

namespace byoc::cli {
namespace {

// The start of an output, as numbers.
void show_output(const IoTensor& t, std::span<const std::byte> bytes) {
  constexpr std::size_t kShown = 12;
  const std::vector<double> values = to_numbers(t.dtype, bytes);
  std::printf("output %s:", t.name.c_str());
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) std::printf(" %g", values[i]);
  std::printf(values.size() > kShown ? " ... (%zu values)\n" : "\n", values.size());
}

void show(const ModelInterface& model, const TargetSpec& target, const SimulateResult& result) {
  for (std::size_t i = 0; i < result.outputs.size(); ++i) show_output(model.outputs[i], result.outputs[i]);
  std::fputs(stats_table(model, target, result).c_str(), stdout);
}

struct RunCommand {
  ModelOptions model;
  std::vector<std::string> inputs;
  std::string output_dir;
  std::string stats;
  std::string dump_tensors;
  bool compare = false;
  bool no_profile = false;
  unsigned timeout = 600;

  bool wants_dump() const { return compare || !dump_tensors.empty(); }
  bool wants_profile() const { return !no_profile && (!model.quiet || !stats.empty()); }

  Result<void> run(Diagnostics& diags) const {
    auto options = model.resolve(diags);
    if (!options) return failure;
    options->trace = wants_dump() || wants_profile();
    Progress progress(model.quiet);
    options->progress = [&](std::string_view stage) { progress.stage(stage); };
    progress.stage("import");
    auto graph = load_model(model.model, options->prepare, diags);
    if (!graph) return failure;
    auto library = compile_model(*graph, *options, diags);
    if (!library) return failure;
    auto blobs = read_inputs(library->interface, diags);
    if (!blobs) return failure;
    progress.stage("simulate");
    auto result = simulate_library(*library, *options, *blobs, diags);
    if (!result) return failure;
    progress.stage("report");
    if (!write_results(*library, *options, *blobs, *result, diags)) return failure;
    if (!model.quiet) show(library->interface, options->target, *result);
    if (compare) return report_comparison(*graph, *blobs, *result, diags);
    return {};
  }

  Result<std::vector<Blob>> read_inputs(const ModelInterface& m, Diagnostics& diags) const {
    if (inputs.size() != m.inputs.size())
      return diags.error(model.model, "--input", "one --input for each input of the model is needed",
                         std::to_string(inputs.size()), std::to_string(m.inputs.size()));
    std::vector<Blob> out;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto blob = read_input(inputs[i], m.inputs[i], diags);
      if (!blob) return failure;
      out.push_back(std::move(*blob));
    }
    return out;
  }

  Result<SimulateResult> simulate_library(const Library& library, const ExportOptions& options,
                                          const std::vector<Blob>& blobs, Diagnostics& diags) const {
    auto directory = TemporaryDirectory::create(diags);
    if (!directory) return failure;
    const std::string archive = directory->path() + "/model.a";
    const std::string traced = options.trace ? directory->path() + "/traced/model.a" : "";
    if (!write_library(library, options.target, archive, false, diags)) return failure;
    if (options.trace) {
      std::filesystem::create_directory(directory->path() + "/traced");
      if (!write_library(library, options.target, traced, true, diags)) return failure;
    }
    const SimulateRequest request{.target = options.target,
                                  .model = library.interface,
                                  .archive = archive,
                                  .traced_archive = traced,
                                  .header_dir = directory->path(),
                                  .inputs = blobs,
                                  .profile = wants_profile(),
                                  .dump = wants_dump(),
                                  .timeout_seconds = timeout};
    return simulate(request, diags);
  }

  Result<void> write_results(const Library& library, const ExportOptions& options, const std::vector<Blob>& blobs,
                             const SimulateResult& result, Diagnostics& diags) const {
    std::error_code error;
    if (!output_dir.empty() && !std::filesystem::create_directories(output_dir, error) && error)
      return diags.error(output_dir, {}, "cannot be created: " + error.message());
    OutputSet files(diags);
    for (std::size_t i = 0; !output_dir.empty() && i < result.outputs.size(); ++i) {
      const std::span<const std::byte> bytes = result.outputs[i];
      if (!files.add(output_dir + "/output_" + std::to_string(i) + ".raw",
                     [bytes](int fd) { return write_all(fd, bytes); }))
        return failure;
    }
    if (!stats.empty() && !files.add(stats, stats_json(library.interface, options.target, result))) return failure;
    if (!files.commit()) return failure;
    if (!dump_tensors.empty()) return write_dumps(dump_tensors, library.interface, blobs, result, diags);
    return {};
  }

  Result<void> report_comparison(const ir::Graph& graph, const std::vector<Blob>& blobs, const SimulateResult& result,
                                 Diagnostics& diags) const {
    auto comparison = compare_with_evaluator(graph, blobs, result.dumps, diags);
    if (!comparison) return failure;
    if (comparison->differences.empty()) {
      if (!model.quiet) std::printf("compare: all %zu tensors agree with the evaluator\n", comparison->compared);
      return {};
    }
    const Difference& d = comparison->differences[0];
    return diags.error(model.model, d.node,
                       "tensor '" + d.tensor +
                           "' is the first that differs from the evaluator: " + std::to_string(d.count) + " of " +
                           std::to_string(d.elements) + " elements, first at index " + std::to_string(d.element),
                       std::to_string(d.found), std::to_string(d.expected));
  }
};

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand(
      "run", "compile a model and run it once: on this machine, or as firmware in a simulated board");
  options->model.declare(*command);
  command->add_option("--input", options->inputs, "input tensor (.npy, .pb, or raw bytes), one for each model input");
  command->add_option("--output-dir", options->output_dir, "folder for output_0.raw, output_1.raw ...");
  command->add_option("--stats", options->stats, "write instructions, flash and RAM as JSON");
  command->add_option("--dump-tensors", options->dump_tensors, "folder for every tensor of the model");
  command->add_flag("--compare", options->compare,
                    "compare every tensor with the evaluator; fail at the first that differs");
  command->add_flag("--no-profile", options->no_profile, "no figures for each layer");
  command->add_option("--timeout", options->timeout, "seconds that one simulation may take")->capture_default_str();
  command->footer(
      "Example:\n  byoc run kws.tflite --target cortex-m4f --input yes.npy --output-dir out --stats stats.json");
  command->callback(
      [options, &session] { session.action = [options, &session] { return options->run(session.diags); }; });
}

}  // namespace byoc::cli
