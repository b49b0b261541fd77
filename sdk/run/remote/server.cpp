#include "sdk/run/remote/server.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <list>
#include <memory>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/message.hpp"
#include "sdk/base/support/worker.hpp"
#include "sdk/run/remote/confine.hpp"
#include "sdk/run/remote/waiting_room.hpp"

namespace byoc::remote {
namespace {

constexpr std::size_t kShortestToken = 16;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kSlice{100};
constexpr milliseconds kFullSlice{10};     // while clients wait for the end of others
constexpr std::size_t kMostUnproved = 16;  // processes of connections that show the token over TLS
constexpr const char* kProved = "has shown the token";

struct Client {
  TemporaryDirectory directory;
  unsigned number = 0;
  bool proved = false;
  std::unique_ptr<Worker> worker;
};

// Nobody else of this user looks into the memory of this process, where the token is or was.
void hide_memory() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void wipe(std::string& secret) {
  ::explicit_bzero(secret.data(), secret.size());
  secret.clear();
}

std::string name_of(unsigned number) { return "client " + std::to_string(number) + ": "; }

// The process of one client.
std::string be_client(const std::string& directory, const ServerTls& tls, SessionOptions& options) {
  try {
    Diagnostics diags;
    const auto left = std::chrono::duration_cast<milliseconds>(options.proof_until - Clock::now());
    auto stream = serve_stream(kGivenDescriptor, tls, std::max(left, milliseconds(0)), diags);
    if (!stream || ::chdir(directory.c_str()) != 0)
      return diags.has_errors() ? diags.all()[0].message : std::strerror(errno);
    return serve_session(**stream, directory, options);
  } catch (const std::exception& error) {
    return error.what();
  }
}

void answer(Worker::Channel& channel, std::string_view arguments) {
  hide_memory();
  MessageReader in(arguments);
  const std::string directory = in.text();
  ServerTls tls;
  SessionOptions options;
  for (std::string* text : {&options.token, &tls.certificate, &tls.key}) *text = in.text();
  options.limits.upload = in.get<std::uint64_t>();
  options.limits.memory = in.get<std::uint64_t>();
  options.limits.seconds = in.get<std::uint32_t>();
  options.session_seconds = in.get<unsigned>();
  options.proved = in.flag();
  options.proof_until = Clock::now() + milliseconds(in.get<std::int64_t>());
  const bool whole = in.ended();
  // The message is this process's own, and nobody reads it again.
  ::explicit_bzero(const_cast<char*>(arguments.data()), arguments.size());
  options.on_proof = [&] {
    wipe(options.token);
    channel.send(kProved);
  };
  if (whole) channel.send(be_client(directory, tls, options));
}

}  // namespace

// As the table of the program that serves has it.
extern const Service kClientService{"client", answer};

namespace {

class Server {
 public:
  Server(const ServeOptions& options, Listener listener)
      : options_(options), listener_(std::move(listener)), room_(options.session, !options.tls.certificate.empty()) {}

  [[noreturn]] void run() {
    log("listening on " + listener_.address());
    log(describe(try_confinement()));
    for (;;) {
      reap();
      const bool full = is_full();
      room_.wait(listener_.descriptor(), full ? kFullSlice : kSlice);
      admit();
      for (const Departure& d : room_.take_departures()) log(name_of(d.number) + d.reason);
      while (!is_full()) {
        auto arrival = room_.take();
        if (!arrival) break;
        begin(*arrival);
      }
    }
  }

 private:
  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  [[nodiscard]] bool is_full() const {
    const auto proved = std::count_if(clients_.begin(), clients_.end(), [](const Client& c) { return c.proved; });
    return static_cast<std::size_t>(proved) >= options_.most_sessions;
  }

  void admit() {
    constexpr std::size_t kAtOnce = 64;
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      const int fd = listener_.accept(milliseconds(0));
      if (fd < 0) return;
      room_.admit(fd, ++count_);
    }
  }

  // A process whose client has shown the token does not get it.
  [[nodiscard]] std::string arguments_of(const Arrival& arrival, const std::string& directory) const {
    const SessionOptions& session = options_.session;
    const bool proved = !arrival.welcome.empty();
    MessageWriter out;
    out.put(directory);
    out.put(proved ? std::string() : session.token);
    out.put(options_.tls.certificate);
    out.put(options_.tls.key);
    out.put(session.limits.upload);
    out.put(session.limits.memory);
    out.put(session.limits.seconds);
    out.put(session.session_seconds);
    out.put(proved);
    const auto left = std::chrono::duration_cast<milliseconds>(arrival.since + kProofTime - Clock::now());
    out.put<std::int64_t>(left.count());
    return out.take();
  }

  void begin(const Arrival& arrival) {
    Diagnostics diags;
    auto directory = TemporaryDirectory::create(diags);
    const bool proved = !arrival.welcome.empty();
    std::unique_ptr<Worker> worker;
    if (directory) {
      if (!proved) make_room();
      std::string arguments = arguments_of(arrival, directory->path());
      worker = std::make_unique<Worker>(kClientService.name, arguments, WorkerLimits{}, arrival.fd);
      wipe(arguments);
    }
    const bool alive = worker != nullptr && worker->end().kind == WorkerEnd::Kind::alive;
    if (alive && proved) (void)send_now(arrival.fd, arrival.welcome);
    ::close(arrival.fd);
    if (!alive) return log(name_of(arrival.number) + "cannot be served now");
    clients_.push_back({std::move(*directory), arrival.number, proved, std::move(worker)});
  }

  // The oldest process whose client has not shown the token goes, where there are too many.
  void make_room() {
    const auto unproved = [](const Client& c) { return !c.proved; };
    if (static_cast<std::size_t>(std::count_if(clients_.begin(), clients_.end(), unproved)) < kMostUnproved) return;
    const auto oldest = std::find_if(clients_.begin(), clients_.end(), unproved);
    log(name_of(oldest->number) + "made room for others without having shown the token");
    clients_.erase(oldest);
  }

  // Whatever is left of those that are gone goes with them.
  void reap() {
    clients_.remove_if([&](Client& client) {
      Worker& worker = *client.worker;
      if (!worker.has_answer()) return false;
      const auto line = worker.receive();
      if (line && !client.proved && *line == kProved) {
        client.proved = true;
        return false;
      }
      const WorkerEnd& end = worker.finish();
      if (line) log(name_of(client.number) + *line);
      if (end.kind == WorkerEnd::Kind::signalled)
        log(name_of(client.number) + "its process died of signal " + std::to_string(end.code));
      return true;
    });
  }

  const ServeOptions& options_;
  Listener listener_;
  WaitingRoom room_;
  std::list<Client> clients_;
  unsigned count_ = 0;
};

}  // namespace

namespace {

constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;

std::string octal(mode_t mode) {
  std::string out;
  for (int shift = 6; shift >= 0; shift -= 3) out += static_cast<char>('0' + (mode >> shift & 7));
  return out;
}

}  // namespace

Result<void> check_private(const std::string& path, Diagnostics& diags) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & (S_IRWXG | S_IRWXO)) == 0) return {};
  return diags.error(path, {}, "others may read or write the token",
                     "permissions " + octal(status.st_mode & kPermissions), "600, by chmod 600");
}

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
  hide_memory();
  const bool tls = !options.tls.certificate.empty();
  if (tls && !has_tls()) return diags.error({}, "--tls-certificate", "this byoc was built without OpenSSL");
  auto listener = Listener::open(options.listen, !tls && !options.plain, diags);
  if (!listener) return failure;
  Server(options, std::move(*listener)).run();
}

}  // namespace byoc::remote
