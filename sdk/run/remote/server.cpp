#include "sdk/run/remote/server.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <list>
#include <memory>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/worker.hpp"

namespace byoc::remote {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::chrono::milliseconds kSlice{100};
constexpr std::chrono::seconds kHandshakeTime{10};

struct Client {
  TemporaryDirectory directory;
  unsigned number = 0;
  std::unique_ptr<Worker> worker;
};

std::string name_of(unsigned number) { return "client " + std::to_string(number) + ": "; }

// The process of one client.
std::string be_client(const std::string& directory, const ServerTls& tls, const SessionOptions& options) {
  try {
    Diagnostics diags;
    auto stream = serve_stream(kGivenDescriptor, tls, kHandshakeTime, diags);
    if (!stream || ::chdir(directory.c_str()) != 0)
      return diags.has_errors() ? diags.all()[0].message : std::strerror(errno);
    return serve_session(**stream, directory, options);
  } catch (const std::exception& error) {
    return error.what();
  }
}

void answer(Worker::Channel& channel, std::string_view arguments) {
  MessageReader in(arguments);
  const std::string directory = in.text();
  ServerTls tls;
  SessionOptions options;
  for (std::string* text : {&options.token, &tls.certificate, &tls.key}) *text = in.text();
  options.limits.upload = in.get<std::uint64_t>();
  options.limits.memory = in.get<std::uint64_t>();
  options.limits.seconds = in.get<std::uint32_t>();
  options.session_seconds = in.get<unsigned>();
  if (in.ended()) channel.send(be_client(directory, tls, options));
}

}  // namespace

// As the table of the program that serves has it.
extern const Service kClientService{"client", answer};

namespace {

class Server {
 public:
  Server(const ServeOptions& options, Listener listener) : options_(options), listener_(std::move(listener)) {}

  [[noreturn]] void run() {
    log("listening on " + listener_.address());
    for (;;) {
      reap();
      if (clients_.size() >= options_.most_sessions) {
        ::usleep(10'000);
        continue;
      }
      const int fd = listener_.accept(kSlice);
      if (fd >= 0) begin(fd);
    }
  }

 private:
  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  void begin(int fd) {
    Diagnostics diags;
    auto directory = TemporaryDirectory::create(diags);
    const unsigned number = ++count_;
    std::unique_ptr<Worker> worker;
    if (directory) {
      const SessionOptions& session = options_.session;
      MessageWriter arguments;
      arguments.put(directory->path());
      for (const std::string* text : {&session.token, &options_.tls.certificate, &options_.tls.key})
        arguments.put(*text);
      arguments.put(session.limits.upload);
      arguments.put(session.limits.memory);
      arguments.put(session.limits.seconds);
      arguments.put(session.session_seconds);
      worker = std::make_unique<Worker>(kClientService.name, arguments.bytes(), WorkerLimits{}, fd);
    }
    ::close(fd);
    if (worker == nullptr || worker->end().kind != WorkerEnd::Kind::alive)
      return log(name_of(number) + "cannot be served now");
    clients_.push_back({std::move(*directory), number, std::move(worker)});
  }

  // Whatever is left of those that are gone goes with them.
  void reap() {
    clients_.remove_if([&](const Client& client) {
      Worker& worker = *client.worker;
      if (!worker.has_answer()) return false;
      const auto line = worker.receive();
      const WorkerEnd& end = worker.finish();
      if (line) log(name_of(client.number) + *line);
      if (end.kind == WorkerEnd::Kind::signalled)
        log(name_of(client.number) + "its process died of signal " + std::to_string(end.code));
      return true;
    });
  }

  const ServeOptions& options_;
  Listener listener_;
  std::list<Client> clients_;
  unsigned count_ = 0;
};

}  // namespace

Result<std::string> read_token(const std::string& path, Diagnostics& diags) {
  auto text = read_text(path, diags);
  if (!text) return failure;
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r' || text->back() == ' ')) text->pop_back();
  if (text->size() < kShortestToken)
    return diags.error(path, {}, "the token is too short", std::to_string(text->size()) + " characters",
                       "at least " + std::to_string(kShortestToken));
  return text;
}

Result<void> serve(const ServeOptions& options, Diagnostics& diags) {
  const bool tls = !options.tls.certificate.empty();
  if (tls && !has_tls()) return diags.error({}, "--tls-certificate", "this byoc was built without OpenSSL");
  auto listener = Listener::open(options.listen, !tls && !options.plain, diags);
  if (!listener) return failure;
  Server(options, std::move(*listener)).run();
}

}  // namespace byoc::remote
