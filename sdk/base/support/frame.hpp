// The frame around binary files and messages of byoc's own:
//
//   magic, 8 bytes | u32 version | u32 CRC-32 of the body | u64 size of all, these 32 bytes included | u64 0 | body
//
// Little-endian. Data in a frame may be anybody's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct FrameFormat {
  std::string_view name;   // for diagnostics: "bytecode"
  std::string_view magic;  // 8 bytes
  std::uint32_t version = 1;
};

struct FrameHead {
  std::uint32_t version = 0;
  std::uint32_t checksum = 0;
  std::uint64_t bytes = 0;  // at least kFrameHeadBytes
};

inline constexpr std::size_t kFrameHeadBytes = 32;

// Writes the head into the first kFrameHeadBytes bytes of a block; the rest is the body.
void finish_frame(std::span<std::byte> block, const FrameFormat& format);

// Nothing: the block does not begin with a frame of this format, of whatever version.
[[nodiscard]] std::optional<FrameHead> read_frame_head(std::span<const std::byte> block, const FrameFormat& format);

enum class FrameEnd { of_block, anywhere };  // where a frame ends: with the block, or before more bytes
// The frame without what is behind it, its head included. Errors: another format or version, a size that is not the
// block's, another checksum.
[[nodiscard]] Result<std::span<const std::byte>> open_frame(std::span<const std::byte> block, const FrameFormat& format,
                                                            FrameEnd end, const std::string& file, Diagnostics& diags);

// Writes the checksum that the frame should have; for tests and fuzzers, which damage bodies.
void seal_frame(std::span<std::byte> block);

}  // namespace byoc
