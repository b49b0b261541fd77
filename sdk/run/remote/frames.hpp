// Messages over a stream, each in a frame (sdk/base/support/frame.hpp). A length is no reason to allocate more than the
// caller expects.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sdk/run/remote/stream.hpp"

namespace byoc::remote {

// The message in its frame.
[[nodiscard]] std::string framed(std::string_view message);

class Frames {
 public:
  explicit Frames(Stream& stream) : stream_(stream) {}

  // False, nothing: problem() says why, and the connection is of no use any more.
  [[nodiscard]] bool send(std::string_view message, std::chrono::milliseconds within);
  [[nodiscard]] std::optional<std::string> receive(std::size_t longest, std::chrono::milliseconds within);
  [[nodiscard]] std::string problem() const { return problem_; }

 private:
  Stream& stream_;
  std::string problem_;
};

}  // namespace byoc::remote
