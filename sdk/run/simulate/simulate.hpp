// `byoc run`: links a small program of our own around an exported model, runs it where the target says (QEMU board,
// QEMU user mode, this machine) and reads back outputs and figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/run.hpp"
#include "byoc/target.hpp"
#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

// The weights that the program around a model binds, if it does, and their size (u32).
inline constexpr const char* kHarnessWeights = "harness_weights";
inline constexpr const char* kHarnessWeightsBytes = "harness_weights_bytes";

struct SimulateRequest {
  const TargetSpec& target;
  const ModelInterface& model;
  std::string archive;         // .a, .o or .so, its root compiled without BYOC_TRACE: what the figures are of
  std::string traced_archive;  // the same with BYOC_TRACE; needed for `profile` and `dump`
  std::string header;          // its header, with what that includes beside it; "": one is made of `model`
  // One blob for each model input, exactly its bytes; for each run after the first as many again. All runs use one
  // instance, as a sequence.
  std::vector<Blob> inputs;
  bool profile = false;                     // fill step_counts
  bool dump = false;                        // fill dumps
  unsigned timeout_seconds = 300;           // for one simulation
  bool reset = false;                       // the instance is reset before each run but the first
  std::vector<std::string> libraries = {};  // objects and archives that the firmware links besides, in order
  // Libraries that plug-ins ask to link, "acme" for -lacme. The linker of a hosted target looks for them, unless
  // `libraries` has them; a board's are in `libraries`.
  std::vector<std::string> link_libraries = {};
  bool cycles = false;       // fill step_cycles; needs `profile` and a CPU of core_costs()
  std::string flash = {};    // with `cycles`: a part's flash to wait for, as parse_flash_model() reads it
  std::string weights = {};  // of a model that binds them: an object with kHarnessWeights and kHarnessWeightsBytes
  bool watch = false;        // first a run that watches each step's memory; needs `traced_archive`
};

// "step 'kws_conv' of codegen 'c' (Conv 'layer1/conv' (#3))"
[[nodiscard]] std::string describe_step(const ModelInterface&, std::size_t step);

// The number of runs that these inputs are for.
[[nodiscard]] std::size_t run_count(const ModelInterface&, std::size_t inputs);

// Errors: an unknown simulator; a compiler or emulator that is not installed; inputs of the wrong number or size; what
// the linker says; a model too large for the board; cycles of a CPU without a table; a fault, a stack overflow, a
// failure code, or no end in time.
[[nodiscard]] Result<RunResult> simulate(const SimulateRequest&, Diagnostics&);

}  // namespace byoc
