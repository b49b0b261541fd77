#include "sdk/base/support/frame.hpp"

#include <bit>
#include <cassert>
#include <cstring>

#include "sdk/base/support/crc32.hpp"

namespace byoc {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

struct RawHead {
  char magic[8];
  std::uint32_t version, checksum;
  std::uint64_t bytes, zero;
};
static_assert(sizeof(RawHead) == kFrameHeadBytes);

RawHead raw_head(std::span<const std::byte> block) {
  RawHead out{};
  if (block.size() >= sizeof out) std::memcpy(&out, block.data(), sizeof out);
  return out;
}

}  // namespace

void finish_frame(std::span<std::byte> block, const FrameFormat& format) {
  assert(format.magic.size() == sizeof RawHead::magic && block.size() >= kFrameHeadBytes);
  RawHead head{{}, format.version, crc32(block.subspan(kFrameHeadBytes)), block.size(), 0};
  std::memcpy(head.magic, format.magic.data(), sizeof head.magic);
  std::memcpy(block.data(), &head, sizeof head);
}

std::optional<FrameHead> read_frame_head(std::span<const std::byte> block, const FrameFormat& format) {
  const RawHead head = raw_head(block);
  if (std::string_view(head.magic, sizeof head.magic) != format.magic || head.zero != 0 || head.bytes < kFrameHeadBytes)
    return std::nullopt;
  return FrameHead{head.version, head.checksum, head.bytes};
}

Result<std::span<const std::byte>> open_frame(std::span<const std::byte> block, const FrameFormat& format, FrameEnd end,
                                              const std::string& file, Diagnostics& diags) {
  const std::string name(format.name);
  const auto head = read_frame_head(block, format);
  if (!head) return diags.error(file, name, "does not begin as it should");
  if (head->version != format.version)
    return diags.error(file, name, "is of another version", std::to_string(head->version),
                       std::to_string(format.version));
  if (head->bytes > block.size() || (end == FrameEnd::of_block && head->bytes != block.size()))
    return diags.error(file, name, "does not have the size that it states", std::to_string(block.size()) + " bytes",
                       std::to_string(head->bytes));
  block = block.first(static_cast<std::size_t>(head->bytes));
  if (crc32(block.subspan(kFrameHeadBytes)) != head->checksum)
    return diags.error(file, name, "is damaged: its checksum is another");
  return block;
}

void seal_frame(std::span<std::byte> block) {
  RawHead head = raw_head(block);
  if (head.bytes < kFrameHeadBytes || head.bytes > block.size()) return;
  head.checksum = crc32(block.subspan(kFrameHeadBytes, static_cast<std::size_t>(head.bytes) - kFrameHeadBytes));
  std::memcpy(block.data(), &head, sizeof head);
}

}  // namespace byoc
