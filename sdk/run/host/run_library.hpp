// A run of a loaded library in a process of its own, which takes nobody with it if it crashes or does not end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "byoc/run.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/helper_program.hpp"
#include "sdk/run/host/loadable.hpp"

namespace byoc::runtime {

struct LibraryRun {
  // One blob for each input of the model; as many again for a second run of the same instance, and so on.
  std::span<const Blob> inputs;
  bool reset = false;            // the instance is reset before each run but the first
  std::uint32_t repeat = 0;      // further runs of the last inputs, each timed
  unsigned timeout_seconds = 0;  // of all of it; 0: none
  std::uint32_t threads = 0;     // that share its steps; 0: it was not asked for any
};

// The worker's side.
extern const Service kRunService;

// Runs `library`, which is linked. The result has outputs, times, and the stack depth of the first run; sizes are not
// known here. Errors: inputs of the wrong number or size, those of load_module() and LoadedModel, a crash, no end in
// time.
[[nodiscard]] Result<RunResult> run_library(const Loadable& library, const ModelInterface& model, const LibraryRun& run,
                                            Diagnostics&);

}  // namespace byoc::runtime
