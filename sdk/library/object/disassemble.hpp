// Machine code as assembly, by LLVM's disassemblers, which know what QEMU's does not (MVE).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byoc/target.hpp"

namespace byoc::object {

struct AssemblyLine {
  std::size_t bytes = 0;
  std::string text;  // "vldrb.u8 q0, [r0], #16"
};

// Disassembles instructions in sequence, up to bytes that are none. For an instruction that an IT or VPT block before
// `code` makes conditional, the condition is missing.
[[nodiscard]] std::vector<AssemblyLine> disassemble(const TargetSpec&, std::span<const std::byte> code,
                                                    std::uint64_t address);

}  // namespace byoc::object
