// Runs of models that this machine interprets. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "byoc/vm.hpp"
#include "sdk/cli/commands.hpp"

namespace byoc::cli {

struct HostRun {
  std::vector<std::string> inputs;  // one for each input of the model; as many again for a second run
  std::string output_dir;           // "": none
  bool reset = false;
  bool quiet = false;
  HostLimits limits;
};

// What `options` ask for, compiled or not, made ready: --executor vm, or interpreted, or a file that was exported so.
Result<HostModel> host_model(const ModelOptions& options, Progress& progress, Diagnostics& diags);

// Reads the inputs, runs, says what came out and writes it. `read`: the files that no output may replace.
Result<void> run_host_model(const HostModel& model, const std::string& name, const HostRun& run,
                            const std::vector<FileStamp>& read, Diagnostics& diags);

}  // namespace byoc::cli
