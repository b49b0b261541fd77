// One connection of a server: its client, and the uploaded, loaded and running library.
#pragma once

#include <memory>
#include <string>

#include "sdk/run/remote/frames.hpp"
#include "sdk/run/remote/model_process.hpp"
#include "sdk/run/remote/protocol.hpp"

namespace byoc::remote {

struct SessionOptions {
  std::string token;
  Limits limits;
  unsigned session_seconds = 3600;  // for everything
};

// Serves the client until it goes, or has to. `directory`: private, for what it uploads; whoever made it removes it.
// Returns why it ended, for the log.
[[nodiscard]] std::string serve_session(Stream& stream, const std::string& directory, const SessionOptions& options);

}  // namespace byoc::remote
