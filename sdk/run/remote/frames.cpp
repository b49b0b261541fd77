#include "sdk/run/remote/frames.hpp"

#include <array>

#include "sdk/base/support/crc32.hpp"
#include "sdk/base/support/frame.hpp"

namespace byoc::remote {
namespace {

constexpr FrameFormat kFormat{"message", "BYOCMSG\n"};

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

std::string framed(std::string_view message) {
  std::string out(kFrameHeadBytes, '\0');
  out += message;
  finish_frame(std::as_writable_bytes(std::span(out)), kFormat);
  return out;
}

bool Frames::send(std::string_view message, std::chrono::milliseconds within) {
  if (stream_.send(bytes_of(framed(message)), within)) return true;
  problem_ = stream_.problem();
  return false;
}

std::optional<std::string> Frames::receive(std::size_t longest, std::chrono::milliseconds within) {
  std::array<std::byte, kFrameHeadBytes> bytes;
  if (!stream_.receive(bytes, within)) {
    problem_ = stream_.problem();
    return std::nullopt;
  }
  const auto head = read_frame_head(bytes, kFormat);
  if (!head || head->version != kFormat.version) {
    problem_ = "sent what is no message";
    return std::nullopt;
  }
  const std::uint64_t size = head->bytes - kFrameHeadBytes;
  if (size > longest) {
    problem_ =
        "sent a message of " + std::to_string(size) + " bytes, where " + std::to_string(longest) + " are the most";
    return std::nullopt;
  }
  std::string message(static_cast<std::size_t>(size), '\0');
  if (!stream_.receive(std::as_writable_bytes(std::span(message)), within)) {
    problem_ = stream_.problem();
    return std::nullopt;
  }
  if (crc32(bytes_of(message)) == head->checksum) return message;
  problem_ = "sent a message that is damaged";
  return std::nullopt;
}

}  // namespace byoc::remote
