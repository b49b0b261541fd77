#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "sdk/cli/commands.hpp"
#include "sdk/evaluate/element.hpp"
#include "sdk/evaluate/small_element.hpp"
#include "sdk/ir/packed_elements.hpp"
#include "sdk/simulate/dump.hpp"
#include "sdk/simulate/simulate.hpp"
#include "sdk/simulate/stats.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/output_set.hpp"

namespace byoc::cli {
namespace {

// Elements as numbers, whatever their type; bools as their bytes.
std::vector<double> to_numbers(const IoTensor& t, std::span<const std::byte> bytes) {
  std::vector<double> out;
  if (is_small(t.dtype)) {
    std::size_t count = 1;
    for (const std::int64_t d : t.dims) count *= static_cast<std::size_t>(d);
    for (const unsigned code : ir::unpack(bytes, bit_width(t.dtype), count))
      out.push_back(evaluate::small_value(t.dtype, code));
    return out;
  }
  const auto append = [&]<class T>() {
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, bytes.data() + at, sizeof(T));
      out.push_back(evaluate::widen(value));
    }
  };
  if (t.dtype == DType::boolean || !evaluate::dispatch(t.dtype, append)) append.operator()<std::uint8_t>();
  return out;
}

// The start of an output, as numbers.
void show_output(const IoTensor& t, std::span<const std::byte> bytes) {
  constexpr std::size_t kShown = 12;
  const std::vector<double> values = to_numbers(t, bytes);
  const char* const format = element_row(t.dtype).kind == ElementKind::real ? " %g" : " %.0f";
  std::printf("output %s:", t.name.c_str());
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) std::printf(format, values[i]);
  std::printf(values.size() > kShown ? " ... (%zu values)\n" : "\n", values.size());
}

void show(const ModelInterface& model, const TargetSpec& target, const RunResult& result) {
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
  RunOptions options;
  std::string output_dir;
  std::string stats;
  std::string dump_tensors;
  bool no_profile = false;

  Result<void> run(Diagnostics& diags) const {
    RunOptions wanted = options;
    wanted.dump = !dump_tensors.empty();
    wanted.profile = options.cycles || (!no_profile && (!model.quiet || !stats.empty()));
    Progress progress(model.quiet);
    auto setup = model.resolve(progress, diags);
    if (!setup) return failure;
    setup->request.trace = wanted.profile || wanted.dump || wanted.compare;
    const auto loaded = model.load(*setup, progress, diags);
    if (!loaded || !check_places(loaded->inputs().size(), loaded->outputs().size(), diags)) return failure;
    const auto compiled = CompiledModel::compile(*loaded, setup->codegens, setup->request, diags);
    if (!compiled || !setup->codegens.end(diags)) return failure;
    const auto result = simulate(*compiled, compiled->interface(), setup->codegens.target(), wanted, progress, diags);
    if (!result) return failure;
    return options.compare ? report_comparison(*result->comparison, diags) : Result<void>();
  }

  // What was exported before is run as it is; layers need the model, or a graph.
  Result<void> run_exported(Diagnostics& diags) const {
    Progress progress(model.quiet);
    progress.stage("read");
    const auto exported = ExportedModel::open(model.model, model.target, diags);
    if (!exported) return failure;
    const ModelInterface& m = exported->interface();
    if (!check_places(m.inputs.size(), m.outputs.size(), diags)) return failure;
    RunOptions wanted = options;
    wanted.dump = !dump_tensors.empty();
    wanted.profile = exported->executor() == "graph" && !no_profile && (!model.quiet || !stats.empty());
    if (!simulate(*exported, m, exported->target(), wanted, progress, diags)) return failure;
    return {};
  }

  // Reads the inputs, runs, and says what came out.
  template <class Library>
  Result<RunResult> simulate(const Library& library, const ModelInterface& interface, const TargetSpec& target,
                             const RunOptions& wanted, Progress& progress, Diagnostics& diags) const {
    const auto tensors = read_inputs(interface, diags);
    if (!tensors) return failure;
    progress.stage("simulate");
    auto result = library.run(*tensors, wanted, diags);
    if (!result) return failure;
    progress.stage("report");
    if (!model.quiet) show(interface, target, *result);
    OutputSet files(diags, files_read());
    if (!add_results(interface, target, *tensors, *result, files) || !flush_output(diags) || !files.commit())
      return failure;
    return result;
  }

  [[nodiscard]] std::vector<FileStamp> files_read() const {
    std::vector<FileStamp> out = model.inputs();
    for (const auto* further : {&inputs, &options.libraries})
      for (FileStamp& stamp : stamps_of(*further)) out.push_back(std::move(stamp));
    return out;
  }

  // Before anything is compiled: what is known of the outputs, of a model with so many tensors.
  Result<void> check_places(std::size_t model_inputs, std::size_t model_outputs, Diagnostics& diags) const {
    const std::size_t runs = model_inputs == 0 ? 1 : std::max<std::size_t>(inputs.size() / model_inputs, 1);
    OutputSet files(diags, files_read());
    for (const std::string& folder : {output_dir, dump_tensors}) {
      for (std::size_t i = 0; !folder.empty() && i < runs * model_outputs; ++i) {
        const std::string of_one = of_run(folder, i / model_outputs, runs);
        const std::string name = of_one + "/output_" + std::to_string(i % model_outputs) + ".raw";
        if (!files.make_folders(of_one) || !files.add(name, std::string_view())) return failure;
      }
    }
    if (!stats.empty() && !files.add(stats, std::string_view())) return failure;
    return {};
  }

  Result<std::vector<TensorBytes>> read_inputs(const ModelInterface& m, Diagnostics& diags) const {
    if (inputs.size() != run_count(m, inputs.size()) * m.inputs.size())
      return diags.error(model.model, "--input", "one --input for each input of the model is needed, for each run",
                         std::to_string(inputs.size()), std::to_string(m.inputs.size()) + " or a multiple of it");
    std::vector<TensorBytes> out;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      auto tensor = read_tensor(inputs[i], m.inputs[i % m.inputs.size()], diags);
      if (!tensor) return failure;
      out.push_back(std::move(*tensor));
    }
    return out;
  }

  Result<void> add_results(const ModelInterface& interface, const TargetSpec& target,
                           const std::vector<TensorBytes>& tensors, const RunResult& result, OutputSet& files) const {
    const std::size_t runs = run_count(interface, tensors.size());
    const std::size_t each = interface.outputs.size();
    for (std::size_t i = 0; !output_dir.empty() && i < result.outputs.size(); ++i) {
      const std::string directory = of_run(output_dir, i / each, runs);
      if (!files.make_folders(directory)) return failure;
      const std::span<const std::byte> bytes = result.outputs[i];
      if (!files.add(directory + "/output_" + std::to_string(i % each) + ".raw",
                     [bytes](int fd) { return write_all(fd, bytes); }))
        return failure;
    }
    std::vector<Blob> blobs;
    for (const TensorBytes& t : tensors) blobs.push_back(Blob::view(t, nullptr));
    for (std::size_t run = 0; !dump_tensors.empty() && run < runs; ++run)
      if (!add_dumps(of_run(dump_tensors, run, runs), interface, piece(blobs, run, runs),
                     {.outputs = piece(result.outputs, run, runs),
                      .instructions = {},
                      .nanoseconds = {},
                      .flash = {},
                      .ram = {},
                      .step_counts = {},
                      .dumps = piece(result.dumps, run, runs)},
                     files))
        return failure;
    if (!stats.empty() && !files.add(stats, stats_json(interface, target, result))) return failure;
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

  Result<void> report_comparison(const RunComparison& compared, Diagnostics& diags) const {
    if (!compared.difference) {
      if (!model.quiet)
        std::printf("compare: all %zu tensors agree with the evaluator%s%s\n", compared.tensors,
                    stated_text(compared).c_str(), taken_text(compared).c_str());
      return {};
    }
    const RunComparison::Difference& d = *compared.difference;
    const bool exact = d.allowed == "exactly";
    return diags.error(model.model, d.node,
                       "tensor '" + d.tensor + "'" + (compared.runs > 1 ? " of run " + std::to_string(d.run) : "") +
                           " is the first that differs from the evaluator" +
                           (exact ? "" : " by more than its codegen states") + ": " + std::to_string(d.count) + " of " +
                           std::to_string(d.elements) + " elements, first at index " + std::to_string(d.element),
                       std::to_string(d.found), std::to_string(d.expected) + (exact ? "" : " " + d.allowed));
  }

  // ", 3 of them as near as codegens state: within 1 LSB, within 0.0001 relative"; nothing where all are exact.
  static std::string taken_text(const RunComparison& compared) {
    if (compared.taken == 0) return {};
    return "; " + std::to_string(compared.taken) + " of operators that byoc does not know are taken as they are";
  }

  static std::string stated_text(const RunComparison& compared) {
    if (compared.exact == compared.tensors) return "";
    std::string out;
    for (const std::string& s : compared.stated) out += (out.empty() ? "" : ", ") + s;
    return ", " + std::to_string(compared.tensors - compared.exact) + " of them as near as codegens state: " + out;
  }
};

// What was exported before cannot be compiled in another way.
void refuse_model_options(const CLI::App& command, const std::string& library) {
  static const std::set<std::string> kGood{"MODEL",        "--target",     "--input",        "--link",
                                           "--reset",      "--output-dir", "--stats",        "--quiet",
                                           "--no-profile", "--timeout",    "--dump-tensors", "--help"};
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
      ->add_option("--link", options->options.libraries,
                   "object or static library that is linked besides, as a plug-in's driver on a board; may be repeated")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--pack", options->options.pack,
                   "how the model is linked: as a static library (a), one object (o) or a shared library (so)")
      ->check(CLI::IsMember({"a", "o", "so"}))
      ->capture_default_str();
  command->add_flag("--reset", options->options.reset, "reset the instance before each run but the first");
  command->add_option("--output-dir", options->output_dir,
                      "folder for output_0.raw, output_1.raw ...; of several runs in run_0, run_1 ...");
  command->add_option("--stats", options->stats, "write instructions, flash and RAM as JSON");
  command->add_option("--dump-tensors", options->dump_tensors, "folder for every tensor of the model");
  command->add_flag("--compare", options->options.compare,
                    "compare every tensor with the evaluator; fail at the first that differs");
  CLI::Option* no_profile = command->add_flag("--no-profile", options->no_profile, "no figures for each layer");
  command
      ->add_flag("--cycles", options->options.cycles,
                 "also estimate the cycles of each layer (targets with a Cortex-M4)")
      ->excludes(no_profile);
  command->add_option("--timeout", options->options.timeout_seconds, "seconds that one simulation may take")
      ->capture_default_str();
  command->footer(
      "Example:\n  byoc run kws.tflite --target cortex-m4f --input yes.npy --output-dir out --stats stats.json");
  CLI::Option* target = command->get_option("--target")->required(false);
  command->get_option("MODEL")->description(
      "model file: ONNX, TFLite, or graph text; or a folder or shared library that export wrote, which knows its "
      "target");
  command->callback([=, &session] {
    const bool exported = ExportedModel::is_one(options->model.model);
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
