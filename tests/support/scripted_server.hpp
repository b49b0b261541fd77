// What a server says, written down before: a stream for remote::Client.
#pragma once

#include "sdk/base/support/frame.hpp"
#include "sdk/run/remote/protocol.hpp"
#include "tests/support/scripted_stream.hpp"

namespace byoc::test {

// First a Hello, then a Welcome, whose proof is made right, then replies.
class ScriptedServer : public ScriptedStream {
 public:
  ScriptedServer(std::deque<std::string> messages, std::string token)
      : ScriptedStream(std::move(messages)), token_(std::move(token)) {}

  bool send(std::span<const std::byte> bytes, std::chrono::milliseconds) override {
    if (greeted_ || !hello_) return true;
    greeted_ = true;
    const auto greeting = remote::read_greeting(
        {reinterpret_cast<const char*>(bytes.data()) + kFrameHeadBytes, bytes.size() - kFrameHeadBytes});
    auto welcome = messages_.empty() || !greeting ? std::nullopt : remote::read_welcome(messages_.front());
    if (!welcome) return true;
    welcome->proof = remote::proof(token_, "server", *hello_, greeting->nonce);
    messages_.front() = write(*welcome);
    return true;
  }

 private:
  void sends(const std::string& message) override {
    if (!hello_) hello_ = remote::read_hello(message);
  }

  std::string token_;
  std::optional<remote::Hello> hello_;
  bool greeted_ = false;
};

}  // namespace byoc::test
