// One connection of a server: its client, and the uploaded, loaded and running library.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "sdk/run/remote/frames.hpp"
#include "sdk/run/remote/model_process.hpp"
#include "sdk/run/remote/protocol.hpp"

namespace byoc::remote {

inline constexpr std::chrono::seconds kProofTime{5};  // from the connection on: TLS, head and body
inline constexpr std::chrono::seconds kWrongTime{1};  // that the answer to a wrong proof takes

struct SessionOptions {
  std::string token;
  Limits limits;
  unsigned session_seconds = 3600;  // for everything
  bool proved = false;              // the client has shown the token already; else by `proof_until`
  std::chrono::steady_clock::time_point proof_until = {};
  std::function<void()> on_proof = {};  // called once it has: nobody asks for `token` from then on
};

// Serves the client until it goes, or has to. `directory`: private, for what it uploads; whoever made it removes it.
// Returns why it ended, for the log.
[[nodiscard]] std::string serve_session(Stream& stream, const std::string& directory, const SessionOptions& options);

}  // namespace byoc::remote
