#include "sdk/run/remote/frames.hpp"

#include <algorithm>

#include "sdk/base/support/crc32.hpp"

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
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + within;
  FrameParser frame(longest);
  while (const std::size_t missing = frame.missing()) {
    std::string bytes(missing, '\0');
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (!stream_.receive(std::as_writable_bytes(std::span(bytes)), std::max(left, std::chrono::milliseconds(0)))) {
      problem_ = stream_.problem();
      return std::nullopt;
    }
    frame.add(bytes);
  }
  auto message = frame.message();
  if (!message) problem_ = frame.problem();
  return message;
}

void FrameParser::add(std::string_view bytes) {
  bytes_ += bytes;
  if (bytes_.size() == kFrameHeadBytes && wanted_ == kFrameHeadBytes) read_head();
  if (missing() == 0 && problem_.empty() && crc32(bytes_of(bytes_).subspan(kFrameHeadBytes)) != checksum_)
    problem_ = "sent a message that is damaged";
}

void FrameParser::read_head() {
  const auto head = read_frame_head(bytes_of(bytes_), kFormat);
  if (!head || head->version != kFormat.version) {
    problem_ = "sent what is no message";
    return;
  }
  const std::uint64_t size = head->bytes - kFrameHeadBytes;
  checksum_ = head->checksum;
  if (size > longest_)
    problem_ =
        "sent a message of " + std::to_string(size) + " bytes, where " + std::to_string(longest_) + " are the most";
  else
    wanted_ += static_cast<std::size_t>(size);
}

std::optional<std::string> FrameParser::message() const {
  return problem_.empty() ? std::optional(bytes_.substr(kFrameHeadBytes)) : std::nullopt;
}

}  // namespace byoc::remote
