// CRC-32 of ISO 3309, as zip and Ethernet have it: the checksum of files and messages of ours. It needs no library,
// because the server has to build for boards with nothing but a C++ compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace byoc {

// `before` is the checksum of what stands in front of the bytes.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace byoc
