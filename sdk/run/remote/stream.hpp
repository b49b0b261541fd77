// Bytes to and from another machine, with a limit on the time that each transfer may take: TCP, or TLS over it where
// byoc was built with OpenSSL. Asio does the work.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc::remote {

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;
  // Transfers all bytes within the time. False: it failed; problem() has the reason, and nothing works from then on.
  [[nodiscard]] virtual bool send(std::span<const std::byte> bytes, std::chrono::milliseconds within) = 0;
  [[nodiscard]] virtual bool receive(std::span<std::byte> bytes, std::chrono::milliseconds within) = 0;
  [[nodiscard]] virtual std::string problem() const = 0;
};

// "HOST:PORT", "[::1]:9190".
struct Address {
  std::string host;
  std::string port;  // a number
};
// Error: something else, with `option` named.
[[nodiscard]] Result<Address> parse_address(const std::string& text, const std::string& option, Diagnostics&);

// Files in PEM form. Empty: no TLS.
struct ServerTls {
  std::string certificate;
  std::string key;
};
// True if this build has TLS.
[[nodiscard]] bool has_tls();

// Connects. `authorities`: certificates that the server's must descend from, which makes it TLS; "" for plain TCP.
// Errors: nobody answers, no such host, TLS that does not come about.
[[nodiscard]] Result<std::unique_ptr<Stream>> connect(const Address&, const std::string& authorities,
                                                      std::chrono::milliseconds within, Diagnostics&);

// A socket that waits for connections.
class Listener {
 public:
  // Port 0: any that is free. Errors: an address that is not this machine's, a port that is taken, not loopback where
  // `loopback_only`.
  [[nodiscard]] static Result<Listener> open(const Address&, bool loopback_only, Diagnostics&);
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;

  [[nodiscard]] std::string address() const;  // "127.0.0.1:9190", as it came out
  // The descriptor of a connection, or -1 where none has come within the time.
  [[nodiscard]] int accept(std::chrono::milliseconds within) const;
  [[nodiscard]] int descriptor() const;  // to be waited for with others

 private:
  struct Impl;
  explicit Listener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Makes a stream of a descriptor from accept(), and takes ownership.
[[nodiscard]] Result<std::unique_ptr<Stream>> serve_stream(int fd, const ServerTls&, std::chrono::milliseconds within,
                                                           Diagnostics&);

}  // namespace byoc::remote
