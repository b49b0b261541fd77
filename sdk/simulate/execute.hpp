// Linking and running one program around a model, and reading what it left behind. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "sdk/simulate/block_trace.hpp"
#include "sdk/simulate/board.hpp"
#include "sdk/simulate/link.hpp"
#include "sdk/simulate/run_result.hpp"
#include "sdk/simulate/simulate.hpp"

namespace byoc {

struct Run {
  RunFigures figures;
  std::vector<std::vector<std::byte>> outputs;
};

// Errors: inputs of the wrong number or size, no archive for tracing, a simulator that is not installed.
[[nodiscard]] Result<void> check(const SimulateRequest&, const Machine&, Diagnostics&);

// The program in `directory`, with `archive` in it.
[[nodiscard]] Result<LinkedProgram> link_for(const SimulateRequest&, const Machine&, const std::string& directory,
                                             const std::string& archive, const RunPlan&,
                                             const std::vector<DumpPiece>& dumps, Diagnostics&);

// What is wanted of QEMU's log.
struct QemuLog {
  BlockTrace* blocks = nullptr;    // sees it; null: none is written
  std::vector<Memory> flash = {};  // whose reads are to be in it
};

// Runs it. Errors, with the step where the program tells it: a fault, a stack
// overflow, a failure code, no end in time. Without `wants_outputs` it writes none.
[[nodiscard]] Result<Run> execute(const SimulateRequest&, const Machine&, const std::string& program,
                                  const std::string& directory, const QemuLog&, Diagnostics&,
                                  bool wants_outputs = true);

}  // namespace byoc
