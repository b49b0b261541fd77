// Runs of models that are files, by what loads them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "byoc/byoc.hpp"
#include "byoc/run.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/file.hpp"

namespace byoc::api {

inline std::vector<Blob> blobs_of(std::span<const TensorBytes> inputs) {
  std::vector<Blob> out;
  for (const TensorBytes& t : inputs) out.push_back(Blob::view(t, nullptr));  // they outlive the run
  return out;
}

// Checks libraries for the linker, which waits for pipes.
inline Result<void> check_libraries(const std::vector<std::string>& libraries, Diagnostics& diags) {
  bool ok = true;
  for (const std::string& library : libraries) ok = InputFile::open(library, diags) && ok;
  return ok ? Result<void>() : failure;
}

// Whether this process can load what is compiled for the target.
[[nodiscard]] bool is_of_this_machine(const TargetSpec& target);

// Loads the library at `path`, and runs its graph, in a process of their own.
[[nodiscard]] Result<RunResult> run_graph_file(const std::string& path, const ModelInterface& model,
                                               std::span<const TensorBytes> inputs, const RunOptions& options,
                                               Diagnostics&);

}  // namespace byoc::api
