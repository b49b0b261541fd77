// `byoc run`: links a small program of our own around an exported model, runs it where the target says (QEMU board,
// QEMU user mode, this machine) and reads back outputs and figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/support/blob.hpp"
#include "sdk/support/diagnostics.hpp"

namespace byoc {

struct SimulateRequest {
  const TargetSpec& target;
  const ModelInterface& model;
  std::string archive;         // .a, .o or .so, its root compiled without BYOC_TRACE: what the figures are of
  std::string traced_archive;  // the same with BYOC_TRACE; needed for `profile` and `dump`
  std::string header_dir;      // where <prefix>.h and what it includes are; "": one is made of `model`
  // One for each model input, exactly its bytes; for each run after the first as many again. All runs are on one
  // instance, as a sequence.
  std::vector<Blob> inputs;
  bool profile = false;                     // fill step_counts
  bool dump = false;                        // fill dumps
  unsigned timeout_seconds = 300;           // for one simulation
  bool reset = false;                       // the instance is reset before each run but the first
  std::vector<std::string> libraries = {};  // objects and archives that the firmware links besides, in order
  // What plug-ins want linked besides, "acme" for -lacme. Looked for by the linker of a hosted target, unless
  // `libraries` has it; a board's are in `libraries`.
  std::vector<std::string> link_libraries = {};
  bool cycles = false;  // fill step_cycles; needs `profile` and a Cortex-M4
};

// Bytes of the linked firmware that are there because of the model, C library functions it needs included: the
// difference to the same firmware linked with a model that does nothing.
struct FlashUse {
  std::uint64_t text = 0;
  std::uint64_t rodata = 0;   // without `weights`
  std::uint64_t data = 0;     // initial values of .data
  std::uint64_t weights = 0;  // ModelInterface::weight_bytes
  [[nodiscard]] std::uint64_t total() const { return text + rodata + data + weights; }
};

struct RamUse {
  std::uint64_t workspace = 0;  // ModelInterface's workspaces and instance; inputs and outputs are the caller's
  std::uint64_t data = 0;
  std::uint64_t bss = 0;
  std::uint64_t stack = 0;  // deepest below the caller of <prefix>_run, in one inference
  [[nodiscard]] std::uint64_t total() const { return workspace + data + bss + stack; }
};

// A graph value as it was right after the step that completed it: dense, row-major, with all channels.
struct DumpedTensor {
  StoredTensor tensor;
  std::vector<std::byte> bytes;
};

struct SimulateResult {
  std::vector<std::vector<std::byte>> outputs;  // of all runs, one after the other
  std::optional<std::uint64_t> instructions;    // of one inference, executed; simulated boards only
  std::optional<std::uint64_t> nanoseconds;     // of one inference; on this machine only, shortest of up to ten
  FlashUse flash;
  RamUse ram;
  // Figures are of the first run. With `profile`, one for each step: instructions or nanoseconds, as above; empty where
  // neither is counted.
  std::vector<std::uint64_t> step_counts;
  // With `cycles`, one for each step: estimated, see docs/simulation.md.
  std::vector<std::uint64_t> step_cycles = {};
  // In order of completion, of all runs, one after the other; values that live in constants are not among them.
  std::vector<DumpedTensor> dumps;
};

// How many runs these inputs are for.
[[nodiscard]] std::size_t run_count(const ModelInterface&, std::size_t inputs);

// Errors: an unknown simulator; a compiler or emulator that is not installed; inputs of the wrong number or size; what
// the linker says; a model too large for the board; cycles of a CPU without a table; a fault, a stack overflow, a
// failure code, or no end in time.
[[nodiscard]] Result<SimulateResult> simulate(const SimulateRequest&, Diagnostics&);

}  // namespace byoc
