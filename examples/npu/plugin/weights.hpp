// Packs weights as npu_isa.h says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace npu {

// Appends `weights` in blocks, each in the shortest way.
void pack(std::span<const std::int8_t> weights, std::vector<std::byte>& out);

}  // namespace npu
