// The feature of an x86-64 CPU to which an instruction belongs. Internal to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace byoc {

// The feature of an instruction that LLVM calls `opcode` ("VADDPSZrr") and that is encoded as `bytes`: its name for
// -mattr, or "" for an instruction that every x86-64 has.
[[nodiscard]] std::string_view x86_feature(std::string_view opcode, std::span<const std::uint8_t> bytes);

}  // namespace byoc
