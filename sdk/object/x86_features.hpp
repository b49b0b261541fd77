// Which feature of an x86-64 CPU an instruction belongs to. Internal to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace byoc {

// Of the instruction that LLVM calls `opcode` ("VADDPSZrr") and that is encoded as `bytes`: the name of a feature as
// -mattr has it, "" for what every x86-64 has.
[[nodiscard]] std::string_view x86_feature(std::string_view opcode, std::span<const std::uint8_t> bytes);

}  // namespace byoc
