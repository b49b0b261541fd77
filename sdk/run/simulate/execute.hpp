// Linking and running programs around a model, and reading what they left behind. Internal to this folder.
#pragma once

#include <string>
#include <vector>

#include "sdk/base/support/file.hpp"
#include "sdk/run/simulate/block_trace.hpp"
#include "sdk/run/simulate/board.hpp"
#include "sdk/run/simulate/link.hpp"
#include "sdk/run/simulate/simulate.hpp"
#include "sdk/run/values/run_result.hpp"

namespace byoc {

struct Run {
  RunFigures figures;
  std::vector<std::vector<std::byte>> outputs;
};

// State that the programs of one request share.
struct Workbench {
  Machine machine;
  TemporaryDirectory directory;  // of a folder for each of them, and one for what is the same in all
  [[nodiscard]] std::string folder(const std::string& name) const { return directory.path() + "/" + name; }
};

// Errors: inputs of the wrong number or size, no archive for tracing, a simulator or compiler that is not installed.
[[nodiscard]] Result<Workbench> set_up(const SimulateRequest&, Diagnostics&);

// The program in `directory`, a folder of the workbench, with `archive` in it.
[[nodiscard]] Result<LinkedProgram> link_for(const SimulateRequest&, const Workbench&, const std::string& directory,
                                             const std::string& archive, const RunPlan&,
                                             const std::vector<DumpPiece>& dumps, Diagnostics&);

// The parts of QEMU's log that are needed.
struct QemuLog {
  BlockTrace* blocks = nullptr;    // sees it; null: none is written
  std::vector<Memory> flash = {};  // whose reads are to be in it
};

// Runs it. Errors, with the step where the program tells it: a fault, a stack
// overflow, a failure code, no end in time. Without `wants_outputs` it writes none.
[[nodiscard]] Result<Run> execute(const SimulateRequest&, const Machine&, const std::string& program,
                                  const std::string& directory, const QemuLog&, Diagnostics&,
                                  bool wants_outputs = true);

// A finding of a watched run: docs/simulation.md, "Steps that are watched".
struct StepFinding {
  std::size_t step = 0;
  std::string text;  // "returned 7", "writes beside its output 0: 3 bytes behind its end"
};
struct WatchedRun {
  bool possible = true;                        // false: the program has no table of the steps, and nothing was done
  std::vector<StepFinding> findings;           // one for each step that has any, in their order
  std::vector<std::vector<std::byte>> pieces;  // of dump_pieces(), as they were, one after the other, for each run
  std::vector<DumpedTensor> dumps;             // the same, as RunResult::dumps
};
// `feed`: what each of the pieces becomes once it was looked at; empty: they stay. Errors: those of simulate().
[[nodiscard]] Result<WatchedRun> watch(const SimulateRequest&, const Workbench&,
                                       const std::vector<std::vector<std::byte>>& feed, Diagnostics&);
// Tells each finding as an error that names the step and who made it.
void report_findings(const ModelInterface&, const std::vector<StepFinding>&, Diagnostics&);

}  // namespace byoc
