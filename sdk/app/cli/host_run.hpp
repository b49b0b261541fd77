// Runs of models that this machine interprets. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "byoc/vm.hpp"
#include "sdk/app/api/host/host_runs.hpp"
#include "sdk/app/cli/commands.hpp"
#include "sdk/app/cli/run_outputs.hpp"
#include "sdk/base/support/file.hpp"
#include "sdk/run/values/fill.hpp"

namespace byoc::cli {

struct HostRun {
  std::vector<std::string> inputs;  // as assign_inputs() takes them
  std::optional<Fill> fill;         // what inputs get that none is for
  std::string output_dir;           // "": none
  std::string output_form = "raw";  // or "npy"
  TopValues top;
  std::vector<std::string> references;  // as compare_with_files() takes them
  Bound bound;                          // of these
  bool print_time = false;
  bool quiet = false;
  api::HostRuns how;  // without values
};

// The program of a run.
struct HostProgram {
  HostModel model;                              // without `library` ready to run; with one what that says
  std::string library;                          // whose code comes from somewhere else; "": there is none
  std::string weights;                          // file of the constants that it binds
  std::optional<TemporaryDirectory> directory;  // that `library` is in
};

// Every node of the model through the evaluator. `names`: as Model::without_names().
Result<HostModel> interpreted_model(const ModelOptions& options, Progress& progress, Diagnostics& diags,
                                    std::string* names = nullptr);
// The program that `options` ask for, compiled or not: --executor vm, or interpreted, or a file that was exported so,
// with the file of the constants that it binds.
Result<HostProgram> host_program(const ModelOptions& options, const std::string& weights, Progress& progress,
                                 Diagnostics& diags);

// Reads the inputs, runs, a library in a process of its own, says what came out and writes it. `read`: the files that
// no output may replace.
Result<void> run_host_program(const HostProgram& program, const std::string& name, const HostRun& run,
                              const std::vector<FileStamp>& read, Diagnostics& diags);

}  // namespace byoc::cli
