// The figures of a simulated inference, for programs and for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc {

// The origin of a run, as far as it is known: two runs are compared by it.
struct RunOrigin {
  std::string model_sha256 = {};
  std::vector<std::string> options = {};  // of the command
  std::string flash = {};                 // RunOptions::flash
};

// JSON text: byoc (its version), model, model_sha256, options, target, instructions, cycles and nanoseconds (null where
// not counted), macs, flash {text, rodata, data, weights, total}, ram {workspace, data, bss, stack, total},
// workspace_lower_bound, steps [{symbol, kernel, nodes, macs, instructions, cycles, nanoseconds, constant_bytes,
// live_bytes}]. Bytes throughout. Of a bisection also "bisection": {steps [{symbol, region, codegen, verdict, allowed,
// tensors, text}], regions and codegens [{name, steps, bad, allowed}]}.
[[nodiscard]] std::string stats_json(const ModelInterface&, const TargetSpec&, const RunResult&,
                                     const RunOrigin& origin = {});

// The time of the steps: cycles where they were estimated, else instructions or nanoseconds.
struct StepTimes {
  const char* unit = "";
  std::vector<std::uint64_t> steps;  // empty: nothing was counted
  std::uint64_t total = 0;
};
[[nodiscard]] StepTimes step_times(const RunResult&);

// True where not all steps are of one codegen: then the column of it tells something.
[[nodiscard]] bool has_several_codegens(const ModelInterface&);

// "kws on stm32l4r5zi at 120 MHz: 41.6 ms modelled, 48.0 KiB flash, 10.4 KiB RAM, bit-exact": what is known of it.
[[nodiscard]] std::string headline(const ModelInterface&, const TargetSpec&, const RunResult&, const RunOrigin&);

// "Conv 'a' 40.1 %, Conv 'b' 20.0 %, Gemm 'c' 9.9 % of cycles": the steps that took the longest; "" of a few steps.
[[nodiscard]] std::string hottest_text(const ModelInterface&, const RunResult&);

// JSON, node data of one graph as model-explorer reads it (its types.ts, NodeDataProviderGraphData): for the tensor
// that a step completes last what the step took. Errors: no step was counted, or no step's tensors are known, as of a
// library that was exported.
[[nodiscard]] Result<std::string> node_data(const ModelInterface&, const TargetSpec&, const RunResult&,
                                            const std::string& file, Diagnostics&);

// A table of the steps with a line of totals, the flash and RAM figures and the hottest layers below, in fixed-width
// text.
[[nodiscard]] std::string stats_table(const ModelInterface&, const TargetSpec&, const RunResult&);

}  // namespace byoc
