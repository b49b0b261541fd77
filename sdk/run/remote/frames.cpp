#include "sdk/run/remote/frames.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace byoc::remote {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers go over the wire as they are in memory");

struct Head {
  std::uint32_t length;
  std::uint32_t checksum;
};

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i] = i;
    for (int bit = 0; bit < 8; ++bit) out[i] = (out[i] >> 1) ^ ((out[i] & 1) != 0 ? 0x82f63b78U : 0U);
  }
  return out;
}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = 0xffffffff;
  for (const std::byte b : bytes) crc = (crc >> 8) ^ kTable[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xff];
  return ~crc;
}

bool Frames::send(std::string_view message, std::chrono::milliseconds within) {
  const Head head{static_cast<std::uint32_t>(message.size()), crc32c(bytes_of(message))};
  std::string frame(reinterpret_cast<const char*>(&head), sizeof head);
  frame += message;
  if (stream_.send(bytes_of(frame), within)) return true;
  problem_ = stream_.problem();
  return false;
}

std::optional<std::string> Frames::receive(std::size_t longest, std::chrono::milliseconds within) {
  Head head{};
  if (!stream_.receive(std::as_writable_bytes(std::span(&head, 1)), within)) {
    problem_ = stream_.problem();
    return std::nullopt;
  }
  if (head.length > longest) {
    problem_ = "sent a message of " + std::to_string(head.length) + " bytes, where " + std::to_string(longest) +
               " are the most";
    return std::nullopt;
  }
  std::string message(head.length, '\0');
  if (!stream_.receive(std::as_writable_bytes(std::span(message)), within)) {
    problem_ = stream_.problem();
    return std::nullopt;
  }
  if (crc32c(bytes_of(message)) == head.checksum) return message;
  problem_ = "sent a message that is damaged";
  return std::nullopt;
}

}  // namespace byoc::remote
