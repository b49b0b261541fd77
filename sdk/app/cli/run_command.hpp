// `byoc run`: what is asked for, and how it is done. Internal to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byoc/graph_executor.hpp"
#include "byoc/remote.hpp"
#include "byoc/vm.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/output_set.hpp"
#include "sdk/run/simulate/stats.hpp"
#include "sdk/run/values/reference.hpp"

namespace byoc::cli {

struct RunCommand {
  const CLI::App* command = nullptr;
  ModelOptions model;
  std::vector<std::string> inputs;
  RunOptions options;
  std::string output_dir;
  std::string stats;
  std::string report;
  std::string dump_tensors;
  bool no_profile = false;
  bool ram_frontier = false;  // not one plan but several, by RAM
  std::string fill;
  std::string output_form = "raw";
  TopValues top;
  std::string labels;                   // file with the names of classes; "": those in the model
  std::vector<std::string> references;  // files with the results of another program
  std::optional<double> within;         // the most that outputs may be off from these
  bool print_time = false;
  HostLimits limits;    // of runs that are interpreted
  std::string weights;  // file of the constants that bytecode binds; "": it has its own
  RemoteServer remote;  // address "": here
  std::string token_file;
  std::string graph, params;  // of `model`, a library of functions; graph "": it is none

  // Reads the names of classes: before any of the others.
  Result<void> find_labels(Diagnostics& diags);
  Result<void> run(Diagnostics& diags) const;
  // Runs an exported library as it is; layers need the model, or a graph.
  Result<void> run_exported(Diagnostics& diags) const;
  // Runs on this machine, by an executor that interprets.
  Result<void> run_interpreted(Diagnostics& diags) const;
  // Runs on another machine, which loads a shared library.
  Result<void> run_remote(Diagnostics& diags) const;
  // A graph of others, here or on another machine.
  Result<void> run_graph(Diagnostics& diags) const;

 private:
  Result<RemoteSession> connect(Diagnostics& diags) const;
  static Result<void> write_shared(const ModelOptions& local, const std::string& out, Progress& progress,
                                   Diagnostics& diags);
  Result<void> show_remote(RemoteSession& session, const TargetSpec& target, Progress& progress,
                           Diagnostics& diags) const;
  Result<void> run_frontier(const Model& loaded, ModelSetup& setup, Progress& progress, Diagnostics& diags) const;
  // True if the figures of single steps are shown to anybody.
  [[nodiscard]] bool shows_steps() const { return !model.quiet || !stats.empty() || !report.empty(); }
  [[nodiscard]] std::uint32_t repetitions() const;
  // Times of a model, which is written as a library for that: its figures are those of another run.
  Result<std::vector<std::uint64_t>> repeat(const CompiledModel& compiled, Progress& progress,
                                            Diagnostics& diags) const;
  // Reads the inputs, runs, and says what came out.
  template <class Library>
  Result<RunResult> simulate(const Library& library, const ModelInterface& interface, const TargetSpec& target,
                             const RunOptions& wanted, const std::vector<std::uint64_t>& times, Progress& progress,
                             Diagnostics& diags) const;
  Result<void> show_asked_for(const ModelInterface& interface, const RunResult& result,
                              const std::vector<std::uint64_t>& times, Diagnostics& diags) const;
  // Error: --labels is for none of the outputs.
  Result<void> check_labels(const std::vector<IoTensor>& outputs, Diagnostics& diags) const;
  // Shows how far outputs are from --reference. Error: further than --within.
  Result<void> compare_references(const ModelInterface& interface, const RunResult& result, Diagnostics& diags) const;
  [[nodiscard]] Bound bound() const;
  // True if nobody says what a comparison is of: then it is of values that make it worth something.
  [[nodiscard]] bool makes_inputs() const;
  void show_made_inputs() const;
  // Prints the paths of all outputs.
  void show_places() const;
  [[nodiscard]] std::vector<FileStamp> files_read() const;
  // Checks the outputs before anything is compiled, for a model with this many tensors.
  Result<void> check_places(std::size_t model_inputs, std::size_t model_outputs, Diagnostics& diags) const;
  Result<std::vector<TensorBytes>> read_tensors(const ModelInterface& m, Diagnostics& diags) const;
  Result<void> add_results(const ModelInterface& interface, const TargetSpec& target,
                           const std::vector<TensorBytes>& tensors, const RunResult& result, OutputSet& files,
                           Diagnostics& diags) const;
  // The origin of the figures.
  [[nodiscard]] RunOrigin origin() const;
  // The folder of one run: `directory` itself where there is but one.
  static std::string of_run(const std::string& directory, std::size_t run, std::size_t runs);
  Result<void> report_comparison(const RunComparison& compared, Diagnostics& diags) const;
  // The table; an error where a step is not as it should be.
  Result<void> report_verdicts(const ModelInterface& interface, const std::vector<StepVerdict>& verdicts,
                               Diagnostics& diags) const;
  static std::string taken_text(const RunComparison& compared);
  // ", 3 of them as near as codegens state: within 1 LSB, within 0.0001 relative"; nothing where all are exact.
  static std::string stated_text(const RunComparison& compared);
};

}  // namespace byoc::cli
