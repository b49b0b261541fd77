#include <CLI/CLI.hpp>
#include <cstdint>
#include <utility>

#include "byoc/threads.hpp"
#include "byoc/vm.hpp"
#include "sdk/app/api/run_rules.hpp"
#include "sdk/app/cli/choice.hpp"
#include "sdk/app/cli/run_command.hpp"
#include "sdk/run/values/fill.hpp"

namespace byoc::cli {
namespace {

// Refuses the options that are given and that a run of these kinds does not take.
void check_options(const CLI::App& command, std::uint32_t kinds, const std::string& model) {
  for (const api::RunKind kind : api::run_kinds()) {
    if ((kinds & static_cast<std::uint32_t>(kind)) == 0) continue;
    for (const CLI::Option* option : command.get_options()) {
      if (option->empty() || !api::refuses(kind, option->get_name())) continue;
      std::string why(api::reason(kind));
      if (kind == api::RunKind::exported) why += "; " + model + " is exported already";
      throw CLI::ValidationError(option->get_name(), why);
    }
  }
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

void add_answers(CLI::App& command, RunCommand& options) {
  command.add_option("--top", options.top.most,
                     "print the N largest values of each output, with their indices; default: 3, of outputs 1xN that "
                     "have names, or whose values are from 0 to 1 with the sum 1");
  command
      .add_option("--labels", options.labels,
                  "file with the names of classes, one on each line, in the order of an output's last dim; default: "
                  "those in a TFLite model")
      ->check(CLI::ExistingFile.description(""));
  CLI::Option* reference = command.add_option(
      "--reference", options.references,
      "results of another program that the outputs are compared with: a file (.npy, .pb, or raw bytes) for the next "
      "output, NAME=FILE, or a folder with output_0.npy ...; fail where they differ by more than --within");
  command
      .add_option("--within", options.within,
                  "how far they may be apart: steps of quantised integers (default 1), a share of an output's largest "
                  "value for floats (default 0.0001)")
      ->check(CLI::NonNegativeNumber.description(""))
      ->needs(reference);
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command =
      app.add_subcommand("run", "compile a model and run it: on this machine, or as firmware in a simulated board");
  options->command = command;
  options->model.declare(*command);
  command->add_option("--input", options->inputs,
                      "values of the inputs: a file (.npy, .pb, or raw bytes) for the next input, NAME=FILE for the "
                      "input of that name, "
                      "a .npz, or a folder with input_0.pb, input_1.pb ...; as many again for a second run of the same "
                      "instance, and so on; default: zeros, with --compare and --bisect random:1");
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
      ->check(one_of({"a", "o", "so"}))
      ->capture_default_str();
  command->add_flag_callback(
      "--bind-weights", [options] { options->model.request.weights.file = "weights.bin"; },
      "with weights that the program binds, as export --weights-blob has them");
  command->add_flag("--reset", options->options.reset, "reset the instance before each run but the first");
  command->add_option("--output-dir", options->output_dir,
                      "folder for output_0.raw, output_1.raw ...; of several runs in run_0, run_1 ...");
  command
      ->add_option("--output-form", options->output_form, "form of these files: raw bytes, or npy with type and shape")
      ->check(one_of({"raw", "npy"}))
      ->capture_default_str();
  add_answers(*command, *options);
  command
      ->add_option("--repeat", options->options.repeat,
                   "run the last inputs N times more on this machine, each timed for --print-time")
      ->check(CLI::Range(1U, 1000000U));
  command->add_flag("--print-time", options->print_time, "print the times of these runs; without --repeat, of one");
  command->add_option("--stats", options->stats, "write instructions, flash and RAM as JSON");
  command
      ->add_option("--report", options->report,
                   "write them as a page for people, R.html, or as node data for model-explorer, R.json")
      ->check([](const std::string& file) {
        return file.ends_with(".html") || file.ends_with(".json")
                   ? ""
                   : file + " is neither a page, R.html, nor node data, R.json";
      });
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
    const bool interpreted = bytecode || (!exported && executor_interprets(options->model.request.executor));
    const bool graph = !options->graph.empty(), elsewhere = !options->remote.address.empty();
    if (!exported && target->empty() && !elsewhere && options->model.request.executor != "interpreted")
      options->model.target = "host";
    using Kind = api::RunKind;
    std::uint32_t kinds = 0;
    for (const auto& [kind, holds] : {std::pair(Kind::no_bytecode, !bytecode),
                                      {Kind::exported, exported || graph},
                                      {Kind::compiled, !interpreted || elsewhere},
                                      {Kind::threads, !command->get_option("--threads")->empty()},
                                      {Kind::foreign_graph, graph},
                                      {Kind::elsewhere, elsewhere && !graph},
                                      {Kind::interpreted, interpreted && !graph && !elsewhere}})
      if (holds) kinds |= static_cast<std::uint32_t>(kind);
    check_options(*command, kinds, options->model.model);
    if (graph) {
      session.action = [options, &session]() -> Result<void> {
        return options->find_labels(session.diags) ? options->run_graph(session.diags) : failure;
      };
      return;
    }
    if (elsewhere) {
      session.action = [options, &session]() -> Result<void> {
        return options->find_labels(session.diags) ? options->run_remote(session.diags) : failure;
      };
      return;
    }
    session.action = [options, exported, interpreted, &session]() -> Result<void> {
      if (!options->find_labels(session.diags)) return failure;
      if (interpreted) return options->run_interpreted(session.diags);
      return exported ? options->run_exported(session.diags) : options->run(session.diags);
    };
  });
}

}  // namespace byoc::cli
