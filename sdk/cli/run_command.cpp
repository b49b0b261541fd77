#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "byoc/remote.hpp"
#include "sdk/cli/commands.hpp"
#include "sdk/cli/host_run.hpp"
#include "sdk/cli/run_outputs.hpp"
#include "sdk/remote/server.hpp"
#include "sdk/simulate/actual_outputs.hpp"
#include "sdk/simulate/dump.hpp"
#include "sdk/simulate/input_set.hpp"
#include "sdk/simulate/output_npy.hpp"
#include "sdk/simulate/simulate.hpp"
#include "sdk/simulate/stats.hpp"
#include "sdk/support/file.hpp"
#include "sdk/support/output_set.hpp"

namespace byoc::cli {
namespace {

void show_outputs(const ModelInterface& model, const RunResult& result) {
  const std::size_t each = model.output_count();
  const bool several = result.outputs.size() > each;
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    if (several && i % each == 0) std::printf("run %zu\n", i / each);
    show_output(output_of(model, result, i), result.outputs[i]);
  }
}

void show(const ModelInterface& model, const TargetSpec& target, const RunResult& result) {
  show_outputs(model, result);
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
  std::string fill;
  std::string output_form = "raw";
  std::size_t top = 0;
  bool print_time = false;
  RemoteServer remote;  // address "": here
  std::string token_file;

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
    const auto times = repeat(*compiled, progress, diags);
    if (!times) return failure;
    wanted.repeat = 0;
    const auto result =
        simulate(*compiled, compiled->interface(), setup->codegens.target(), wanted, *times, progress, diags);
    if (!result) return failure;
    return options.compare ? report_comparison(*result->comparison, diags) : Result<void>();
  }

  // On another machine, which loads a shared library.
  Result<void> run_remote(Diagnostics& diags) const {
    Progress progress(model.quiet);
    progress.stage("connect");
    auto token = remote::read_token(token_file, diags);
    if (!token) return failure;
    RemoteServer server = remote;
    server.token = std::move(*token);
    auto session = RemoteSession::connect(server, diags);
    auto directory = TemporaryDirectory::create(diags);
    if (!session || !directory) return failure;
    const std::string made = directory->path() + "/" + default_name(model.model) + ".so";
    const bool exported = ExportedModel::is_one(model.model);
    const std::string& library = exported ? model.model : made;
    ModelOptions local = model;
    if (local.target.empty()) local.target = session->target();
    if (local.target.empty())
      return diags.error(remote.address, "--target", "the server's machine has no name here", session->machine());
    if (!exported && !write_shared(local, made, progress, diags)) return failure;
    progress.stage("load");
    if (!session->load(library, diags)) return failure;
    const ModelInterface& interface = session->interface();
    const auto target = find_target(local.target, diags);
    if (!target || !check_places(interface.inputs.size(), interface.output_count(), diags)) return failure;
    return show_remote(*session, *target, progress, diags);
  }

  static Result<void> write_shared(const ModelOptions& local, const std::string& out, Progress& progress,
                                   Diagnostics& diags) {
    auto setup = local.resolve(progress, diags);
    const auto loaded = setup ? local.load(*setup, progress, diags) : failure;
    if (!loaded || !export_model(*loaded, setup->codegens, setup->request, out, diags)) return failure;
    return setup->codegens.end(diags);
  }

  Result<void> show_remote(RemoteSession& session, const TargetSpec& target, Progress& progress,
                           Diagnostics& diags) const {
    const ModelInterface& interface = session.interface();
    const auto tensors = read_tensors(interface, diags);
    if (!tensors) return failure;
    progress.stage("run");
    auto ran = session.run(*tensors, options.reset, std::max(1U, repetitions()), diags);
    if (!ran) return failure;
    progress.stage("report");
    RunResult result{};
    if (!keep_actual(interface, std::move(ran->outputs), result, diags)) return failure;
    result.nanoseconds = *std::min_element(ran->nanoseconds.begin(), ran->nanoseconds.end());
    if (!model.quiet) show_outputs(interface, result);
    show_asked_for(interface, result, ran->nanoseconds);
    OutputSet files(diags, files_read());
    if (!add_results(interface, target, *tensors, result, files) || !flush_output(diags) || !files.commit())
      return failure;
    if (!model.quiet) show_places(interface);
    return {};
  }

  // On this machine, by an executor that interprets.
  Result<void> run_interpreted(Diagnostics& diags) const {
    Progress progress(model.quiet);
    const auto loaded = host_model(model, progress, diags);
    if (!loaded) return failure;
    progress.stage("run");
    return run_host_model(*loaded, model.model, {inputs, output_dir, options.reset, model.quiet, {}}, files_read(),
                          diags);
  }

  // What was exported before is run as it is; layers need the model.
  Result<void> run_exported(Diagnostics& diags) const {
    Progress progress(model.quiet);
    progress.stage("read");
    const auto exported = ExportedModel::open(model.model, model.target, diags);
    if (!exported) return failure;
    const ModelInterface& m = exported->interface();
    if (!check_places(m.inputs.size(), m.output_count(), diags)) return failure;
    RunOptions wanted = options;
    wanted.repeat = repetitions();
    if (!simulate(*exported, exported->interface(), exported->target(), wanted, {}, progress, diags)) return failure;
    return {};
  }

  [[nodiscard]] std::uint32_t repetitions() const { return options.repeat != 0 ? options.repeat : print_time ? 1 : 0; }

  // Times of a model, which is written as a library for that: its figures are those of another run.
  Result<std::vector<std::uint64_t>> repeat(const CompiledModel& compiled, Progress& progress,
                                            Diagnostics& diags) const {
    if (repetitions() == 0) return std::vector<std::uint64_t>();
    auto directory = TemporaryDirectory::create(diags);
    if (!directory) return failure;
    const std::string library = directory->path() + "/model.a";
    if (!compiled.write(library, diags)) return failure;
    const auto exported = ExportedModel::open(library, {}, diags);
    const auto tensors = exported ? read_tensors(exported->interface(), diags) : failure;
    if (!tensors) return failure;
    progress.stage("repeat");
    RunOptions wanted = options;
    wanted.repeat = repetitions();
    auto result = exported->run(*tensors, wanted, diags);
    if (!result) return failure;
    return std::move(result->times);
  }

  // Reads the inputs, runs, and says what came out.
  template <class Library>
  Result<RunResult> simulate(const Library& library, const ModelInterface& interface, const TargetSpec& target,
                             const RunOptions& wanted, const std::vector<std::uint64_t>& times, Progress& progress,
                             Diagnostics& diags) const {
    const auto tensors = read_tensors(interface, diags);
    if (!tensors) return failure;
    progress.stage("simulate");
    auto result = library.run(*tensors, wanted, diags);
    if (!result) return failure;
    progress.stage("report");
    if (!model.quiet) show(interface, target, *result);
    show_asked_for(interface, *result, times.empty() ? result->times : times);
    OutputSet files(diags, files_read());
    if (!add_results(interface, target, *tensors, *result, files) || !flush_output(diags) || !files.commit())
      return failure;
    if (!model.quiet) show_places(interface);
    return result;
  }

  void show_asked_for(const ModelInterface& interface, const RunResult& result,
                      const std::vector<std::uint64_t>& times) const {
    for (std::size_t i = 0; top != 0 && i < result.outputs.size(); ++i)
      show_top(output_of(interface, result, i), result.outputs[i], top);
    if (print_time) show_times(times);
  }

  // Where everything is.
  void show_places(const ModelInterface& interface) const {
    std::string files;
    for (const std::string& file : {stats, dump_tensors}) files += file.empty() ? "" : ", " + file;
    if (!output_dir.empty()) {
      const std::string first = output_dir + "/output_0." + output_form;
      files = ", " + first + (interface.output_count() > 1 ? " ..." : "") + files;
    }
    if (files.empty())
      std::printf("nothing was written; --output-dir keeps the outputs, --output-form npy for numpy\n");
    else
      std::printf("written: %s\n", files.c_str() + 2);
  }

  [[nodiscard]] std::vector<FileStamp> files_read() const {
    std::vector<FileStamp> out = model.inputs();
    for (const auto& further : {files_of_inputs(inputs), options.libraries})
      for (FileStamp& stamp : stamps_of(further)) out.push_back(std::move(stamp));
    return out;
  }

  // Before anything is compiled: what is known of the outputs, of a model with so many tensors.
  Result<void> check_places(std::size_t model_inputs, std::size_t model_outputs, Diagnostics& diags) const {
    const std::size_t runs = model_inputs == 0 ? 1 : std::max<std::size_t>(inputs.size() / model_inputs, 1);
    OutputSet files(diags, files_read());
    for (const std::string& folder : {output_dir, dump_tensors}) {
      for (std::size_t i = 0; !folder.empty() && i < runs * model_outputs; ++i) {
        const std::string of_one = of_run(folder, i / model_outputs, runs);
        const std::string name = of_one + "/output_" + std::to_string(i % model_outputs) + "." + output_form;
        if (!files.make_folders(of_one) || !files.add(name, std::string_view())) return failure;
      }
    }
    if (!stats.empty() && !files.add(stats, std::string_view())) return failure;
    return {};
  }

  Result<std::vector<TensorBytes>> read_tensors(const ModelInterface& m, Diagnostics& diags) const {
    const auto blobs = read_inputs(inputs, m, parse_fill(fill), diags);
    if (!blobs) return failure;
    std::vector<TensorBytes> out;
    for (const Blob& blob : *blobs) out.emplace_back(blob.bytes().begin(), blob.bytes().end());
    return out;
  }

  Result<void> add_results(const ModelInterface& interface, const TargetSpec& target,
                           const std::vector<TensorBytes>& tensors, const RunResult& result, OutputSet& files) const {
    const std::size_t runs = run_count(interface, tensors.size());
    const std::size_t each = interface.output_count();
    for (std::size_t i = 0; !output_dir.empty() && i < result.outputs.size(); ++i) {
      const std::string directory = of_run(output_dir, i / each, runs);
      if (!files.make_folders(directory)) return failure;
      const std::span<const std::byte> bytes = result.outputs[i];
      const IoTensor tensor = output_of(interface, result, i);
      const std::vector<std::byte> npy = output_form == "npy" ? npy_file(tensor, bytes) : std::vector<std::byte>();
      const std::string stem = directory + "/output_" + std::to_string(i % each);
      if (!files.add(stem + "." + output_form,
                     [&](int fd) { return write_all(fd, output_form == "npy" ? npy : bytes); }))
        return failure;
      if (!tensor.counted.empty() && !files.add(stem + ".json", shape_json(tensor, tensor.dims))) return failure;
    }
    std::vector<Blob> blobs;
    for (const TensorBytes& t : tensors) blobs.push_back(Blob::view(t, nullptr));
    for (std::size_t run = 0; !dump_tensors.empty() && run < runs; ++run)
      if (!add_dumps(of_run(dump_tensors, run, runs), interface, piece(blobs, run, runs),
                     {.outputs = piece(result.outputs, run, runs),
                      .output_dims = piece(result.output_dims, run, runs),
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
  static const std::set<std::string> kGood{
      "MODEL",        "--target", "--input",      "--fill",        "--link",           "--reset", "--repeat",
      "--print-time", "--top",    "--output-dir", "--output-form", "--stats",          "--quiet", "--no-profile",
      "--timeout",    "--help",   "--remote",     "--token-file",  "--tls-authorities"};
  for (const CLI::Option* option : command.get_options())
    if (!option->empty() && !kGood.contains(option->get_name()))
      throw CLI::ValidationError(option->get_name(), "needs a model; " + library + " is exported already");
}

// What only this machine can do.
void refuse_local_options(const CLI::App& command) {
  for (const char* name : {"--link", "--pack", "--stats", "--dump-tensors", "--compare", "--cycles", "--no-profile"})
    if (!command.get_option(name)->empty()) throw CLI::ValidationError(name, "is not for runs on another machine");
}

void add_remote(CLI::App& command, RunCommand& options) {
  CLI::Option* remote = command.add_option("--remote", options.remote.address,
                                           "HOST:PORT of a 'byoc serve', on whose machine the model is run");
  CLI::Option* token = command.add_option("--token-file", options.token_file, "file with that server's secret");
  command
      .add_option("--tls-authorities", options.remote.authorities,
                  "certificates (PEM) that the server's must descend from: the connection goes over TLS")
      ->needs(remote);
  remote->needs(token);
  token->needs(remote);
}

// What an executor that interprets does not do.
void refuse_simulation_options(const CLI::App& command) {
  for (const char* name :
       {"--link", "--pack", "--stats", "--dump-tensors", "--compare", "--no-profile", "--cycles", "--timeout"})
    if (!command.get_option(name)->empty()) throw CLI::ValidationError(name, "is not for an executor that interprets");
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command =
      app.add_subcommand("run", "compile a model and run it: on this machine, or as firmware in a simulated board");
  options->model.declare(*command);
  command->add_option("--input", options->inputs,
                      "values of the inputs: a file (.npy, .pb, or raw bytes) for the next input, NAME=FILE for the "
                      "input of that name, "
                      "a .npz, or a folder with input_0.pb, input_1.pb ...; as many again for a second run of the same "
                      "instance, and so "
                      "on; default: zeros");
  command
      ->add_option("--fill", options->fill,
                   "what inputs get that no --input is for: zeros, ones, random or random:SEED")
      ->check([](const std::string& text) {
        return parse_fill(text) ? std::string() : "'" + text + "' is none of zeros, ones, random and random:SEED";
      });
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
  command
      ->add_option("--output-form", options->output_form, "form of these files: raw bytes, or npy with type and shape")
      ->check(CLI::IsMember({"raw", "npy"}))
      ->capture_default_str();
  command->add_option("--top", options->top, "print the N largest values of each output, with their indices");
  command
      ->add_option("--repeat", options->options.repeat,
                   "run the last inputs N times more on this machine, each timed for --print-time")
      ->check(CLI::Range(1U, 1000000U));
  command->add_flag("--print-time", options->print_time, "print the times of these runs; without --repeat, of one");
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
  add_remote(*command, *options);
  command->footer(
      "Example:\n  byoc run kws.tflite --target cortex-m4f --input yes.npy --output-dir out --stats stats.json\n"
      "  byoc run kws.a --fill random:7 --top 3 --repeat 100 --print-time\n"
      "  byoc run kws.tflite --remote board:9190 --token-file token --fill ones");
  CLI::Option* target = command->get_option("--target")->required(false);
  command->get_option("MODEL")->description(
      "model file: ONNX, TFLite, or graph text, for --target (default: host); or a folder, .so, .a, .o or .tar that "
      "export wrote, which knows its target");
  command->callback([=, &session] {
    const bool exported = ExportedModel::is_one(options->model.model) || HostModel::is_one(options->model.model);
    const bool interpreted =
        HostModel::is_one(options->model.model) || (!exported && executor_interprets(options->model.request.executor));
    if (exported)
      refuse_model_options(*command, options->model.model);
    else if (target->empty() && options->remote.address.empty() && options->model.request.executor != "interpreted")
      options->model.target = "host";
    if (!options->remote.address.empty()) {
      refuse_local_options(*command);
      session.action = [options, &session] { return options->run_remote(session.diags); };
      return;
    }
    if (interpreted) refuse_simulation_options(*command);
    session.action = [options, exported, interpreted, &session] {
      if (interpreted) return options->run_interpreted(session.diags);
      return exported ? options->run_exported(session.diags) : options->run(session.diags);
    };
  });
}

}  // namespace byoc::cli
