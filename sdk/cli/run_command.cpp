#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "sdk/cli/commands.hpp"
#include "sdk/evaluate/element.hpp"
#include "sdk/pipeline/exported_library.hpp"
#include "sdk/simulate/compare.hpp"
#include "sdk/simulate/dump.hpp"
#include "sdk/simulate/input.hpp"
#include "sdk/simulate/simulate.hpp"
#include "sdk/simulate/stats.hpp"
#include "sdk/support/file.hpp"

namespace byoc::cli {
namespace {

// Elements as numbers, whatever their type; bools and packed 4-bit elements as their bytes.
std::vector<double> to_numbers(DType t, std::span<const std::byte> bytes) {
  std::vector<double> out;
  const auto append = [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      out.push_back(evaluate::widen(value));
    }
  };
  if (t == DType::boolean || !evaluate::dispatch(t, append)) append.operator()<std::uint8_t>();
  return out;
}

// The start of an output, as numbers.
void show_output(const IoTensor& t, std::span<const std::byte> bytes) {
  constexpr std::size_t kShown = 12;
  const std::vector<double> values = to_numbers(t.dtype, bytes);
  const char* const format = evaluate::is_float(t.dtype) ? " %g" : " %.0f";
  std::printf("output %s:", t.name.c_str());
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) std::printf(format, values[i]);
  std::printf(values.size() > kShown ? " ... (%zu values)\n" : "\n", values.size());
}

void show(const ModelInterface& model, const TargetSpec& target, const SimulateResult& result) {
  const bool several = result.outputs.size() > model.outputs.size();
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (several && i % model.outputs.size() == 0) std::printf("run %zu\n", i / model.outputs.size());
    show_output(model.outputs[i % model.outputs.size()], result.outputs[i]);
  }
  show_rewrites(model.rewrites);
  std::fputs(stats_table(model, target, result).c_str(), stdout);
}

struct RunCommand {
  ModelOptions model;
  std::vector<std::string> inputs;
  std::vector<std::string> libraries;
  std::string output_dir;
  std::string stats;
  std::string dump_tensors;
  std::string pack = "a";
  bool compare = false;
  bool reset = false;
  bool no_profile = false;
  bool cycles = false;
  unsigned timeout = 600;

  bool wants_dump() const { return compare || !dump_tensors.empty(); }
  bool wants_profile() const { return cycles || (!no_profile && (!model.quiet || !stats.empty())); }

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
    if (!library || !ModelOptions::end_codegens(*options, diags)) return failure;
    auto blobs = read_inputs(library->interface, diags);
    if (!blobs) return failure;
    progress.stage("simulate");
    auto result = simulate_library(*library, *options, *blobs, diags);
    if (!result) return failure;
    progress.stage("report");
    if (!write_results(library->interface, options->target, *blobs, *result, diags)) return failure;
    if (!model.quiet) show(library->interface, options->target, *result);
    if (compare) return report_comparison(*graph, *library, *blobs, *result, diags);
    return {};
  }

  // What was exported before is run as it is; layers need the model.
  Result<void> run_exported(Diagnostics& diags) const {
    Progress progress(model.quiet);
    progress.stage("read");
    auto directory = TemporaryDirectory::create(diags);
    if (!directory) return failure;
    auto library = open_exported(model.model, model.target, directory->path(), diags);
    if (!library) return failure;
    auto blobs = read_inputs(library->interface, diags);
    if (!blobs) return failure;
    progress.stage("simulate");
    const SimulateRequest request{.target = library->target,
                                  .model = library->interface,
                                  .archive = library->library,
                                  .traced_archive = {},
                                  .header_dir = {},
                                  .inputs = *blobs,
                                  .timeout_seconds = timeout,
                                  .reset = reset,
                                  .libraries = libraries,
                                  .link_libraries = library->link_libraries};
    auto result = simulate(request, diags);
    if (!result) return failure;
    progress.stage("report");
    if (!write_results(library->interface, library->target, *blobs, *result, diags)) return failure;
    if (!model.quiet) show(library->interface, library->target, *result);
    return {};
  }

  Result<std::vector<Blob>> read_inputs(const ModelInterface& m, Diagnostics& diags) const {
    if (inputs.size() != run_count(m, inputs.size()) * m.inputs.size())
      return diags.error(model.model, "--input", "one --input for each input of the model is needed, for each run",
                         std::to_string(inputs.size()), std::to_string(m.inputs.size()) + " or a multiple of it");
    std::vector<Blob> out;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto blob = read_input(inputs[i], m.inputs[i % m.inputs.size()], diags);
      if (!blob) return failure;
      out.push_back(std::move(*blob));
    }
    return out;
  }

  Result<SimulateResult> simulate_library(const Library& library, const ExportOptions& options,
                                          const std::vector<Blob>& blobs, Diagnostics& diags) const {
    auto directory = TemporaryDirectory::create(diags);
    if (!directory) return failure;
    const std::string archive = directory->path() + "/model." + pack;
    // What a traced root calls is in the program, which a shared library does not see.
    const std::string traced_name = pack == "so" ? "model.a" : "model." + pack;
    const std::string traced = options.trace ? directory->path() + "/traced/" + traced_name : "";
    if (!write_library(library, archive, false, diags)) return failure;
    if (options.trace) {
      std::filesystem::create_directory(directory->path() + "/traced");
      if (!write_library(library, traced, true, diags)) return failure;
    }
    const SimulateRequest request{.target = options.target,
                                  .model = library.interface,
                                  .archive = archive,
                                  .traced_archive = traced,
                                  .header_dir = directory->path(),
                                  .inputs = blobs,
                                  .profile = wants_profile(),
                                  .dump = wants_dump(),
                                  .timeout_seconds = timeout,
                                  .reset = reset,
                                  .libraries = libraries,
                                  .link_libraries = library.link_libraries,
                                  .cycles = cycles};
    return simulate(request, diags);
  }

  Result<void> write_results(const ModelInterface& interface, const TargetSpec& target, const std::vector<Blob>& blobs,
                             const SimulateResult& result, Diagnostics& diags) const {
    const std::size_t runs = run_count(interface, blobs.size());
    const std::size_t each = interface.outputs.size();
    OutputSet files(diags);
    for (std::size_t i = 0; !output_dir.empty() && i < result.outputs.size(); ++i) {
      const std::string directory = of_run(output_dir, i / each, runs);
      std::error_code error;
      if (!std::filesystem::create_directories(directory, error) && error)
        return diags.error(directory, {}, "cannot be created: " + error.message());
      const std::span<const std::byte> bytes = result.outputs[i];
      if (!files.add(directory + "/output_" + std::to_string(i % each) + ".raw",
                     [bytes](int fd) { return write_all(fd, bytes); }))
        return failure;
    }
    if (!stats.empty() && !files.add(stats, stats_json(interface, target, result))) return failure;
    if (!files.commit()) return failure;
    for (std::size_t run = 0; !dump_tensors.empty() && run < runs; ++run)
      if (!write_dumps(of_run(dump_tensors, run, runs), interface, piece(blobs, run, runs),
                       {.outputs = piece(result.outputs, run, runs),
                        .instructions = {},
                        .nanoseconds = {},
                        .flash = {},
                        .ram = {},
                        .step_counts = {},
                        .step_cycles = {},
                        .dumps = piece(result.dumps, run, runs)},
                       diags))
        return failure;
    return {};
  }

  // The folder of one run: `directory` itself where there is but one.
  static std::string of_run(const std::string& directory, std::size_t run, std::size_t runs) {
    return runs == 1 ? directory : directory + "/run_" + std::to_string(run);
  }

  template <class T>
  static std::vector<T> piece(const std::vector<T>& of_all, std::size_t run, std::size_t runs) {
    const auto each = static_cast<std::ptrdiff_t>(of_all.size() / runs);
    const auto first = of_all.begin() + static_cast<std::ptrdiff_t>(run) * each;
    return {first, first + each};
  }

  Result<void> report_comparison(const ir::Graph& graph, const Library& library, const std::vector<Blob>& blobs,
                                 const SimulateResult& result, Diagnostics& diags) const {
    const std::size_t runs = graph.inputs.empty() ? 1 : blobs.size() / graph.inputs.size();
    const auto compared =
        compare_with_evaluator(graph, stated(graph, library.partition), evaluate::agreement_on(library.target), blobs,
                               runs, reset, result.dumps, diags);
    if (!compared) return failure;
    if (!compared->difference) {
      if (!model.quiet)
        std::printf("compare: all %zu tensors agree with the evaluator%s\n", compared->tensors,
                    stated_text(*compared, library.partition).c_str());
      return {};
    }
    const evaluate::Difference& d = *compared->difference;
    const evaluate::Mismatch& m = d.mismatch;
    const std::string allowed = d.allowed.is_exact() ? "" : " by more than its codegen states";
    return diags.error(
        model.model, graph.nodes[d.node].describe(),
        "tensor '" + graph.values[d.value].name + "'" + (runs > 1 ? " of run " + std::to_string(compared->run) : "") +
            " is the first that differs from the evaluator" + allowed + ": " + std::to_string(m.count) + " of " +
            std::to_string(m.elements) + " elements, first at index " + std::to_string(m.element),
        std::to_string(m.found), std::to_string(m.expected) + (d.allowed.is_exact() ? "" : " " + to_string(d.allowed)));
  }

  // ", 3 of them as near as their codegens state: within 1 LSB, within 0.0001 relative"; nothing where all are exact.
  static std::string stated_text(const Compared& compared, const Partition& partition) {
    if (compared.exact == compared.tensors) return "";
    std::set<std::string> stated;
    const auto add = [&](const std::vector<NodePlacement>& nodes) {
      for (const NodePlacement& n : nodes)
        if (n.closeness.exactness != codegen::Exactness::exact) stated.insert(to_string(n.closeness));
    };
    add(partition.nodes);
    for (const auto& [graph, nodes] : partition.bodies) add(nodes);
    std::string out;
    for (const std::string& s : stated) out += (out.empty() ? "" : ", ") + s;
    return ", " + std::to_string(compared.tensors - compared.exact) + " of them as near as codegens state: " + out;
  }
};

// What was exported before cannot be compiled in another way.
void refuse_model_options(const CLI::App& command, const std::string& library) {
  static const std::set<std::string> kGood{"MODEL",        "--target",     "--input", "--link",
                                           "--reset",      "--output-dir", "--stats", "--quiet",
                                           "--no-profile", "--timeout",    "--help"};
  for (const CLI::Option* option : command.get_options())
    if (!option->empty() && !kGood.contains(option->get_name()))
      throw CLI::ValidationError(option->get_name(), "needs a model; " + library + " is exported already");
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command =
      app.add_subcommand("run", "compile a model and run it: on this machine, or as firmware in a simulated board");
  options->model.declare(*command);
  command->add_option(
      "--input", options->inputs,
      "input tensor (.npy, .pb, or raw bytes), one for each model input; as many again for a second run "
      "of the same instance, and so on");
  command
      ->add_option("--link", options->libraries,
                   "object or static library that is linked besides, as a plug-in's driver on a board; may be repeated")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--pack", options->pack,
                   "how the model is linked: as a static library (a), one object (o) or a shared library (so)")
      ->check(CLI::IsMember({"a", "o", "so"}))
      ->capture_default_str();
  command->add_flag("--reset", options->reset, "reset the instance before each run but the first");
  command->add_option("--output-dir", options->output_dir,
                      "folder for output_0.raw, output_1.raw ...; of several runs in run_0, run_1 ...");
  command->add_option("--stats", options->stats, "write instructions, flash and RAM as JSON");
  command->add_option("--dump-tensors", options->dump_tensors, "folder for every tensor of the model");
  command->add_flag("--compare", options->compare,
                    "compare every tensor with the evaluator; fail at the first that differs");
  CLI::Option* no_profile = command->add_flag("--no-profile", options->no_profile, "no figures for each layer");
  command->add_flag("--cycles", options->cycles, "also estimate the cycles of each layer (targets with a Cortex-M4)")
      ->excludes(no_profile);
  command->add_option("--timeout", options->timeout, "seconds that one simulation may take")->capture_default_str();
  command->footer(
      "Example:\n  byoc run kws.tflite --target cortex-m4f --input yes.npy --output-dir out --stats stats.json");
  CLI::Option* target = command->get_option("--target")->required(false);
  command->get_option("MODEL")->description(
      "model file: ONNX, TFLite, or graph text; or a folder or shared library that export wrote, which knows its "
      "target");
  command->callback([=, &session] {
    const bool exported = is_exported(options->model.model);
    if (exported)
      refuse_model_options(*command, options->model.model);
    else if (target->empty())
      throw CLI::RequiredError("--target");
    session.action = [options, exported, &session] {
      return exported ? options->run_exported(session.diags) : options->run(session.diags);
    };
  });
}

}  // namespace byoc::cli
