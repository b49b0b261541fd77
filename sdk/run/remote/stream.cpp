#include "sdk/run/remote/stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <utility>

#define ASIO_STANDALONE
#define ASIO_NO_DEPRECATED
#include <asio/buffer.hpp>
#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#ifdef BYOC_WITH_TLS
#include <asio/ssl.hpp>
#endif

namespace byoc::remote {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

// Runs one operation to its end, or until the time is up.
template <class Start, class Cancel>
std::error_code complete(asio::io_context& context, milliseconds within, const Start& start, const Cancel& cancel) {
  std::optional<std::error_code> result;
  start([&](std::error_code error, auto&&...) { result = error; });
  context.restart();
  context.run_for(within);
  if (!result) {
    cancel();
    context.restart();
    context.run();
    return asio::error::timed_out;
  }
  return *result;
}

template <class Socket>
class AsioStream : public Stream {
 public:
  // `kept`: what the socket needs besides, as long as it lives.
  template <class... Arguments>
  AsioStream(std::shared_ptr<asio::io_context> context, std::shared_ptr<void> kept, Arguments&&... arguments)
      : context_(std::move(context)), kept_(std::move(kept)), socket_(std::forward<Arguments>(arguments)...) {}

  bool send(std::span<const std::byte> bytes, milliseconds within) override {
    return run(within, [&](auto done) { asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()), done); });
  }
  bool receive(std::span<std::byte> bytes, milliseconds within) override {
    return run(within, [&](auto done) { asio::async_read(socket_, asio::buffer(bytes.data(), bytes.size()), done); });
  }
  [[nodiscard]] std::string problem() const override {
    if (error_ == asio::error::timed_out) return "took too long";
    if (error_ == asio::error::eof || error_ == asio::error::connection_reset) return "the connection was closed";
    return error_.message();
  }

  template <class Start>
  bool run(milliseconds within, const Start& start) {
    if (!error_) error_ = complete(*context_, within, start, [this] { close(); });
    return !error_;
  }
  [[nodiscard]] Socket& socket() { return socket_; }
  [[nodiscard]] std::error_code error() const { return error_; }

 private:
  void close() {
    std::error_code ignored;
    socket_.lowest_layer().close(ignored);
  }

  std::shared_ptr<asio::io_context> context_;  // whoever made it has sockets of it until the end, also those moved from
  std::shared_ptr<void> kept_;
  Socket socket_;
  std::error_code error_;
};

using Plain = AsioStream<tcp::socket>;

// Frames are small, and each is waited for.
void set_options(tcp::socket& socket) {
  std::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
}

#ifdef BYOC_WITH_TLS
using Tls = AsioStream<asio::ssl::stream<tcp::socket>>;

std::shared_ptr<asio::ssl::context> tls_context(asio::ssl::context::method method) {
  auto out = std::make_shared<asio::ssl::context>(method);
  out->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv3 |
                   asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
  return out;
}

Result<std::unique_ptr<Stream>> shake_hands(std::unique_ptr<Tls> stream, asio::ssl::stream_base::handshake_type side,
                                            milliseconds within, const std::string& who, Diagnostics& diags) {
  if (!stream->run(within, [&](auto done) { stream->socket().async_handshake(side, done); }))
    return diags.error(who, {}, "TLS does not come about: " + stream->error().message());
  return std::unique_ptr<Stream>(std::move(stream));
}

Result<std::unique_ptr<Stream>> client_tls(std::shared_ptr<asio::io_context> context, tcp::socket socket,
                                           const Address& address, const std::string& authorities, milliseconds within,
                                           Diagnostics& diags) {
  auto tls = tls_context(asio::ssl::context::tls_client);
  std::error_code error;
  tls->load_verify_file(authorities, error);
  if (error) return diags.error(authorities, {}, "holds no certificates that can be read: " + error.message());
  tls->set_verify_mode(asio::ssl::verify_peer);
  tls->set_verify_callback(asio::ssl::host_name_verification(address.host));
  return shake_hands(std::make_unique<Tls>(std::move(context), tls, std::move(socket), *tls),
                     asio::ssl::stream_base::client, within, address.host + ":" + address.port, diags);
}

Result<std::unique_ptr<Stream>> server_tls(std::shared_ptr<asio::io_context> context, tcp::socket socket,
                                           const ServerTls& files, milliseconds within, Diagnostics& diags) {
  auto tls = tls_context(asio::ssl::context::tls_server);
  std::error_code error;
  tls->use_certificate_chain_file(files.certificate, error);
  if (error) return diags.error(files.certificate, {}, "holds no certificate that can be read: " + error.message());
  tls->use_private_key_file(files.key, asio::ssl::context::pem, error);
  if (error) return diags.error(files.key, {}, "holds no key that can be read: " + error.message());
  return shake_hands(std::make_unique<Tls>(std::move(context), tls, std::move(socket), *tls),
                     asio::ssl::stream_base::server, within, "a client", diags);
}
#else
Result<std::unique_ptr<Stream>> without_tls(Diagnostics& diags) {
  return diags.error({}, "TLS", "this byoc was built without OpenSSL");
}
#endif

std::optional<tcp::endpoint> resolve(asio::io_context& context, const Address& address, std::error_code& error) {
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(address.host, address.port, error);
  if (error || found.empty()) return std::nullopt;
  return found.begin()->endpoint();
}

std::string text(const tcp::endpoint& endpoint) {
  const bool v6 = endpoint.address().is_v6();
  const std::string host = endpoint.address().to_string();
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(endpoint.port());
}

}  // namespace

bool has_tls() {
#ifdef BYOC_WITH_TLS
  return true;
#else
  return false;
#endif
}

Result<Address> parse_address(const std::string& text, const std::string& option, Diagnostics& diags) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return diags.error({}, option, "not an address", "'" + text + "'", "HOST:PORT");
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, port);
  const bool ok = !host.empty() && (bracketed || host.find(':') == std::string::npos) && error == std::errc() &&
                  stopped == end && host.find('\0') == std::string::npos;
  if (!ok) return diags.error({}, option, "not an address", "'" + text + "'", "HOST:PORT");
  return Address{host, std::to_string(port)};
}

Result<std::unique_ptr<Stream>> connect(const Address& address, const std::string& authorities, milliseconds within,
                                        Diagnostics& diags) {
  const std::string who = address.host + ":" + address.port;
  auto context = std::make_shared<asio::io_context>(1);
  std::error_code error;
  tcp::resolver resolver(*context);
  const auto endpoints = resolver.resolve(address.host, address.port, error);
  if (error) return diags.error(who, {}, "cannot be reached: " + error.message());
  tcp::socket socket(*context);
  error = complete(
      *context, within, [&](auto done) { asio::async_connect(socket, endpoints, done); },
      [&] {
        std::error_code ignored;
        socket.close(ignored);
      });
  if (error) return diags.error(who, {}, "cannot be reached: " + error.message());
  set_options(socket);
  if (authorities.empty()) return std::unique_ptr<Stream>(std::make_unique<Plain>(context, nullptr, std::move(socket)));
#ifdef BYOC_WITH_TLS
  return client_tls(context, std::move(socket), address, authorities, within, diags);
#else
  return without_tls(diags);
#endif
}

struct Listener::Impl {
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
};

Listener::Listener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::~Listener() = default;
Listener::Listener(Listener&& other) noexcept = default;

Result<Listener> Listener::open(const Address& address, bool loopback_only, Diagnostics& diags) {
  auto impl = std::make_unique<Impl>();
  std::error_code error;
  const std::string who = address.host + ":" + address.port;
  const auto endpoint = resolve(impl->context, address, error);
  if (!endpoint) return diags.error(who, {}, "cannot be listened on: " + error.message());
  if (loopback_only && !endpoint->address().is_loopback())
    return diags.error(who, "--listen", "others could read and change what goes over this network without TLS", {},
                       "--tls-certificate and --tls-key, a loopback address, or --plain if you mean it");
  tcp::acceptor& a = impl->acceptor;
  a.open(endpoint->protocol(), error);
  if (!error) a.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) a.bind(*endpoint, error);
  if (!error) a.listen(asio::socket_base::max_listen_connections, error);
  if (!error) a.non_blocking(true, error);
  if (error) return diags.error(who, {}, "cannot be listened on: " + error.message());
  ::fcntl(a.native_handle(), F_SETFD, FD_CLOEXEC);  // no process of a client waits at it
  return Listener(std::move(impl));
}

std::string Listener::address() const {
  std::error_code ignored;
  return text(impl_->acceptor.local_endpoint(ignored));
}

int Listener::descriptor() const { return impl_->acceptor.native_handle(); }

int Listener::accept(milliseconds within) const {
  const int fd = impl_->acceptor.native_handle();
  pollfd waiting{fd, POLLIN, 0};
  if (::poll(&waiting, 1, static_cast<int>(within.count())) <= 0) return -1;
  return ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
}

Result<std::unique_ptr<Stream>> serve_stream(int fd, const ServerTls& tls, [[maybe_unused]] milliseconds within,
                                             Diagnostics& diags) {
  auto context = std::make_shared<asio::io_context>(1);
  tcp::socket socket(*context);
  std::error_code error;
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  (void)::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size);
  socket.assign(own.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), fd, error);
  if (error) {
    ::close(fd);
    return diags.error("a client", {}, "cannot be served: " + error.message());
  }
  set_options(socket);
  if (tls.certificate.empty())
    return std::unique_ptr<Stream>(std::make_unique<Plain>(context, nullptr, std::move(socket)));
#ifdef BYOC_WITH_TLS
  return server_tls(context, std::move(socket), tls, within, diags);
#else
  return without_tls(diags);
#endif
}

}  // namespace byoc::remote
