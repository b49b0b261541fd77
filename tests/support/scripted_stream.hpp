// What one side of a remote run says, written down before.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>

#include "sdk/run/remote/frames.hpp"

namespace byoc::test {

// Of messages each behind a length of two bytes, as fuzzers have them.
inline std::deque<std::string> messages_of(std::string_view bytes) {
  std::deque<std::string> out;
  while (!bytes.empty()) {
    std::uint16_t size = 0;
    std::memcpy(&size, bytes.data(), std::min(bytes.size(), sizeof size));
    bytes.remove_prefix(std::min(bytes.size(), sizeof size));
    out.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(out.back().size());
  }
  return out;
}

// Sends messages one after the other, in frames that are right; what it is told is for whoever derives from it.
class ScriptedStream : public remote::Stream {
 public:
  explicit ScriptedStream(std::deque<std::string> messages) : messages_(std::move(messages)) {}

  bool receive(std::span<std::byte> bytes, std::chrono::milliseconds) override {
    while (pending_.size() < bytes.size() && !messages_.empty()) {
      sends(messages_.front());
      add_frame(messages_.front());
      messages_.pop_front();
    }
    if (pending_.size() < bytes.size()) return false;
    std::memcpy(bytes.data(), pending_.data(), bytes.size());
    pending_.erase(0, bytes.size());
    return true;
  }
  [[nodiscard]] std::string problem() const override { return "no more"; }

 protected:
  virtual void sends(const std::string& /*message*/) {}
  void add_frame(const std::string& message) { pending_ += remote::framed(message); }

  std::deque<std::string> messages_;  // still to send

 private:
  std::string pending_;
};

}  // namespace byoc::test
