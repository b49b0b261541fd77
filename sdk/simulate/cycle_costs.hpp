// What instructions cost on a Cortex-M4 without wait states, after the tables of Arm's technical reference manual
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

// Cycles of instructions that run one after the other, a branch at their end not taken. Conditional instructions count
// as if they were executed. Nothing: `unknown` is the mnemonic that the table lacks.
[[nodiscard]] std::optional<std::uint64_t> cortex_m4_cycles(std::span<const Instruction>, std::string& unknown);

// What a branch to `target` costs more than one that is not taken: the pipeline's refill.
[[nodiscard]] std::uint64_t cortex_m4_refill(const Instruction& target);

}  // namespace byoc
