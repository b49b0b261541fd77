// What a server says, written down before: a stream for remote::Client.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>

#include "sdk/remote/frames.hpp"
#include "sdk/remote/protocol.hpp"

namespace byoc::test {

// Sends messages one after the other, whatever it is told: first a Hello, then a Welcome, whose proof is made right,
// then replies. Frames are right, too.
class ScriptedServer : public remote::Stream {
 public:
  ScriptedServer(std::deque<std::string> messages, std::string token)
      : messages_(std::move(messages)), token_(std::move(token)) {}

  bool send(std::span<const std::byte> bytes, std::chrono::milliseconds) override {
    constexpr std::size_t kHead = 8;  // of a frame
    if (greeted_ || !hello_) return true;
    greeted_ = true;
    const auto greeting =
        remote::read_greeting({reinterpret_cast<const char*>(bytes.data()) + kHead, bytes.size() - kHead});
    auto welcome = messages_.empty() || !greeting ? std::nullopt : remote::read_welcome(messages_.front());
    if (!welcome) return true;
    welcome->proof = remote::proof(token_, "server", *hello_, greeting->nonce);
    messages_.front() = write(*welcome);
    return true;
  }

  bool receive(std::span<std::byte> bytes, std::chrono::milliseconds) override {
    while (pending_.size() < bytes.size() && !messages_.empty()) add(messages_.front());
    if (pending_.size() < bytes.size()) return false;
    std::memcpy(bytes.data(), pending_.data(), bytes.size());
    pending_.erase(0, bytes.size());
    return true;
  }
  [[nodiscard]] std::string problem() const override { return "no more"; }

 private:
  void add(const std::string& message) {
    if (!hello_) hello_ = remote::read_hello(message);
    const auto put = [&](std::uint32_t n) { pending_.append(reinterpret_cast<const char*>(&n), sizeof n); };
    put(static_cast<std::uint32_t>(message.size()));
    put(remote::crc32c(std::as_bytes(std::span(message))));
    pending_ += message;
    messages_.pop_front();
  }

  std::deque<std::string> messages_;
  std::string token_, pending_;
  std::optional<remote::Hello> hello_;
  bool greeted_ = false;
};

}  // namespace byoc::test
