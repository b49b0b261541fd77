// The figures of a simulated inference, for programs and for people.
#pragma once

#include <string>

#include "byoc/interface.hpp"
#include "byoc/target.hpp"
#include "sdk/run/simulate/simulate.hpp"

namespace byoc {

// JSON text: model, target, instructions, cycles and nanoseconds (null where not counted), macs,
// flash {text, rodata, data, weights, total}, ram {workspace, data, bss, stack, total}, workspace_lower_bound,
// steps [{symbol, kernel, nodes, macs, instructions, cycles, nanoseconds, constant_bytes, live_bytes}]. Bytes
// throughout. Of a bisection also "bisection": {steps [{symbol, region, codegen, verdict, allowed, tensors, text}],
// regions and codegens [{name, steps, bad, allowed}]}.
[[nodiscard]] std::string stats_json(const ModelInterface&, const TargetSpec&, const RunResult&);

// A table of the steps with a line of totals and the flash and RAM figures below, in fixed-width text.
[[nodiscard]] std::string stats_table(const ModelInterface&, const TargetSpec&, const RunResult&);

}  // namespace byoc
