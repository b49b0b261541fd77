// Accepts clients, each of which gets a process and a private directory of its own. When a client is gone, so are they,
// however it went.
#pragma once

#include <functional>
#include <string>

#include "sdk/base/support/helper_program.hpp"
#include "sdk/run/remote/session.hpp"
#include "sdk/run/remote/stream.hpp"

namespace byoc::remote {

struct ServeOptions {
  Address listen{"127.0.0.1", "9190"};
  bool plain = false;  // connections from other machines may go without TLS
  ServerTls tls;
  SessionOptions session;
  unsigned most_sessions = 32;  // at a time; further clients wait
  // Told where it listens, once it does, and what the kernel keeps models from; then a line for what becomes of each
  // client.
  std::function<void(const std::string& line)> log = {};
};

// The token in a file, without the line's end. Errors: no such file, fewer than 16 characters.
[[nodiscard]] Result<std::string> read_token(const std::string& path, Diagnostics&);

// Error: a file of a server's token that others than its user may read or write.
Result<void> check_private(const std::string& path, Diagnostics&);

// The process of one client.
extern const Service kClientService;

// Until the process is ended, of a program with kClientService, kModelService and kConfinementService. Connections that
// have not shown the token wait apart (waiting_room.hpp). Errors: what Listener::open says, TLS
// that this build does not have.
Result<void> serve(const ServeOptions& options, Diagnostics&);

}  // namespace byoc::remote
