// Messages over a stream, each in a frame (sdk/base/support/frame.hpp). A length is no reason to allocate more than the
// caller expects.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sdk/base/support/frame.hpp"
#include "sdk/run/remote/stream.hpp"

namespace byoc::remote {

// The message in its frame.
[[nodiscard]] std::string framed(std::string_view message);

// A message that comes in pieces, as they come.
class FrameParser {
 public:
  explicit FrameParser(std::size_t longest) : longest_(longest) {}

  // Bytes that may be added; 0: it is whole, or no message.
  [[nodiscard]] std::size_t missing() const { return wanted_ - bytes_.size(); }
  void add(std::string_view bytes);
  // Nothing: problem() says why.
  [[nodiscard]] std::optional<std::string> message() const;
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void read_head();

  std::size_t longest_;
  std::size_t wanted_ = kFrameHeadBytes;
  std::uint32_t checksum_ = 0;
  std::string bytes_;
  std::string problem_;
};

class Frames {
 public:
  explicit Frames(Stream& stream) : stream_(stream) {}

  // False, nothing: problem() says why, and the connection is of no use any more.
  [[nodiscard]] bool send(std::string_view message, std::chrono::milliseconds within);
  // `within`: of head and body together.
  [[nodiscard]] std::optional<std::string> receive(std::size_t longest, std::chrono::milliseconds within);
  [[nodiscard]] std::string problem() const { return problem_; }

 private:
  Stream& stream_;
  std::string problem_;
};

}  // namespace byoc::remote
