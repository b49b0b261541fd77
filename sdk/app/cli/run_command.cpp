#include <CLI/CLI.hpp>
#include <set>

#include "byoc/threads.hpp"
#include "byoc/vm.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/run/values/fill.hpp"

namespace byoc::cli {
namespace {

// Refuses options of compilation for a library that was exported before.
void refuse_model_options(const CLI::App& command, const std::string& library) {
  static const std::set<std::string> kGood{"MODEL",        "--target",          "--input",           "--fill",
                                           "--link",       "--reset",           "--repeat",          "--print-time",
                                           "--top",        "--output-dir",      "--output-form",     "--stats",
                                           "--quiet",      "--no-profile",      "--report",          "--timeout",
                                           "--help",       "--threads",         "--dump-tensors",    "--remote",
                                           "--token-file", "--tls-authorities", "--weights",         "--graph",
                                           "--params",     "--max-memory",      "--max-instructions"};
  for (const CLI::Option* option : command.get_options())
    if (!option->empty() && !kGood.contains(option->get_name()))
      throw CLI::ValidationError(option->get_name(), "needs a model; " + library + " is exported already");
}

void refuse(const CLI::App& command, std::initializer_list<const char*> names, const char* why) {
  for (const char* name : names)
    if (!command.get_option(name)->empty()) throw CLI::ValidationError(name, why);
}

// Refuses options that only work on this machine.
void refuse_local_options(const CLI::App& command) {
  refuse(command,
         {"--link", "--pack", "--stats", "--report", "--dump-tensors", "--compare", "--bisect", "--cycles", "--flash",
          "--no-profile", "--threads"},
         "is not for runs on another machine");
}

// Refuses options that need facts which graphs of others do not have.
void refuse_for_graphs(const CLI::App& command) {
  refuse(command,
         {"--target", "--link", "--stats", "--report", "--dump-tensors", "--no-profile", "--threads", "--timeout",
          "--weights"},
         "is not for --graph");
}

// Threads are of runs without a program around them.
void refuse_watching_threads(const CLI::App& command) {
  if (!command.get_option("--threads")->empty())
    refuse(command, {"--dump-tensors", "--compare", "--bisect", "--cycles"}, "is not with --threads");
}

// Refuses options that an executor that interprets does not support.
void refuse_simulation_options(const CLI::App& command) {
  refuse(command,
         {"--link", "--pack", "--stats", "--report", "--dump-tensors", "--compare", "--bisect", "--no-profile",
          "--cycles", "--flash", "--ram-frontier", "--timeout", "--bind-weights"},
         "is not for an executor that interprets");
}

// Refuses limits that count bytecode only.
void refuse_limits(const CLI::App& command) {
  refuse(command, {"--max-memory", "--max-instructions"},
         "is for --executor vm and interpreted, and for files that they wrote");
}

void add_host_options(CLI::App& command, RunCommand& options) {
  HostLimits& limits = options.limits;
  command.add_option("--weights", options.weights,
                     "file with the constants of bytecode that export --weights-blob took them out of");
  command
      .add_option("--max-memory", limits.memory,
                  "bytes that all values of a run by vm or interpreted may take, as in 2MiB")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->check(CLI::PositiveNumber.description(""));
  command.add_option("--max-instructions", limits.instructions, "instructions of bytecode that such a run may take")
      ->check(CLI::PositiveNumber.description(""));
}

// Adds --threads. It is an option of compilation, too: code for threads is compiled differently.
void add_threads(CLI::App& command, RunCommand& options) {
  command
      .add_option_function<std::uint32_t>(
          "--threads",
          [&options](std::uint32_t count) {
            options.options.threads = count;
            options.model.plugins.options.emplace_back(kThreadsOption);
          },
          "threads of this machine that share steps that take long; of what was exported, if it was with --threads")
      ->check(CLI::Range(1U, ThreadPool::kMost));
}

void add_graph(CLI::App& command, RunCommand& options) {
  CLI::Option* graph =
      command
          .add_option(
              "--graph", options.graph,
              "graph.json, whoever made it: MODEL is the shared library with its functions; inputs are its nodes "
              "without a function that --params does not name")
          ->check(CLI::ExistingFile.description(""));
  command.add_option("--params", options.params, "file with the parameters of --graph")
      ->check(CLI::ExistingFile.description(""))
      ->needs(graph);
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
  command->add_flag_callback(
      "--bind-weights", [options] { options->model.request.weights.file = "weights.bin"; },
      "with weights that the program binds, as export --weights-blob has them");
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
  command->add_option("--report", options->report, "write them as a page for people: R.html")->check(check_page_name);
  command->add_option("--dump-tensors", options->dump_tensors, "folder for every tensor of the model");
  command->add_flag("--compare", options->options.compare,
                    "compare every tensor with the evaluator and watch the memory of every step; fail at the first "
                    "that differs");
  command->add_flag("--bisect", options->options.bisect,
                    "give every step the evaluator's inputs, and a verdict: by step, region and codegen");
  CLI::Option* no_profile = command->add_flag("--no-profile", options->no_profile, "no figures for each layer");
  CLI::Option* cycles =
      command
          ->add_flag(
              "--cycles", options->options.cycles,
              "also estimate the cycles of each layer (Cortex-M0+, M4, M7, M33, M55 and M85), without wait states")
          ->excludes(no_profile);
  command->get_option("--flash")->needs(cycles);
  command
      ->add_flag(
          "--ram-frontier", options->ram_frontier,
          "run the model under ten bounds of RAM, from the least that a plan needs on, and print RAM against time "
          "where no plan is better in both; with --report also as a drawing")
      ->excludes("--compare")
      ->excludes("--bisect")
      ->excludes("--dump-tensors")
      ->excludes("--stats")
      ->excludes("--output-dir")
      ->excludes("--max-ram");
  command->add_option("--timeout", options->options.timeout_seconds, "seconds that one simulation may take")
      ->capture_default_str();
  add_threads(*command, *options);
  add_host_options(*command, *options);
  add_work_dir(*command, options->model.request);
  add_remote(*command, *options);
  add_graph(*command, *options);
  command->footer(
      "Example:\n  byoc run kws.tflite --target cortex-m4f --input yes.npy --output-dir out --stats stats.json\n"
      "  byoc run kws.a --fill random:7 --top 3 --repeat 100 --print-time\n"
      "  byoc run kws.tflite --remote board:9190 --token-file token --fill ones\n"
      "  byoc run lib.so --graph graph.json --params graph.params --input data=cat.npy");
  CLI::Option* target = command->get_option("--target")->required(false);
  command->get_option("MODEL")->description(
      "model file: ONNX, TFLite, or graph text, for --target (default: host); or a folder, .so, .a, .o, .tar or "
      ".byocm that export wrote, which knows its target");
  command->callback([=, &session] {
    options->options.flash = options->model.flash;
    const bool bytecode = HostModel::is_one(options->model.model);
    const bool exported = bytecode || ExportedModel::is_one(options->model.model);
    if (!bytecode) refuse(*command, {"--weights"}, "is for bytecode that export --weights-blob wrote without them");
    const bool interpreted = bytecode || (!exported && executor_interprets(options->model.request.executor));
    if (exported)
      refuse_model_options(*command, options->model.model);
    else if (target->empty() && options->remote.address.empty() && options->model.request.executor != "interpreted")
      options->model.target = "host";
    if (!interpreted || !options->remote.address.empty()) refuse_limits(*command);
    refuse_watching_threads(*command);
    if (!options->graph.empty()) {
      refuse_model_options(*command, options->model.model);
      refuse_for_graphs(*command);
      session.action = [options, &session] { return options->run_graph(session.diags); };
      return;
    }
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
