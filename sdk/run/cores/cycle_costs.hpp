// The cycles of instructions on CPUs without wait states, after the tables of Arm's technical reference manuals
// (docs/simulation.md has ours).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace byoc {

struct Instruction {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;  // 2 or 4
  std::string mnemonic;     // as QEMU's disassembler writes it, "vadd.f32"
  std::string operands;     // "s0, s1, s2"
};

// A CPU's table.
struct CoreCosts;

// The costs of the target's CPU ("cortex-m4"); null if there are none.
[[nodiscard]] const CoreCosts* core_costs(std::string_view cpu);
// The name of the core in reports: "Cortex-M4".
[[nodiscard]] std::string_view core_name(const CoreCosts&);
// The CPUs that have one, for messages: "cortex-m0plus, cortex-m4 or cortex-m7".
[[nodiscard]] std::string cores_with_costs();

// Cycles of instructions that run one after the other, a branch at their end not taken. Conditional instructions count
// as if they were executed. Nothing: `unknown` is the mnemonic that the table lacks.
[[nodiscard]] std::optional<std::uint64_t> block_cycles(const CoreCosts&, std::span<const Instruction>,
                                                        std::string& unknown);

// The additional cycles of a taken `branch` to `target`: the pipeline's refill. On cores with branch prediction, those
// of a predicted branch.
[[nodiscard]] std::uint64_t refill_cycles(const CoreCosts&, const Instruction& branch, const Instruction& target);
// True if it has instructions that QEMU's disassembler does not know.
[[nodiscard]] bool wants_disassembler(const CoreCosts&);
// The additional cycles of a mispredicted branch; 0: branches are not predicted.
[[nodiscard]] std::uint64_t misprediction_cycles(const CoreCosts&);

}  // namespace byoc
