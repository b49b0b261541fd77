#include "sdk/run/remote/server.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <map>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/leftovers.hpp"

namespace byoc::remote {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::chrono::milliseconds kSlice{100};
constexpr std::chrono::seconds kHandshakeTime{10};

struct Client {
  TemporaryDirectory directory;
  unsigned number = 0;
};

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
    const pid_t pid = directory ? fork_child() : -1;
    if (pid == 0) {
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::_exit(be_client(fd, directory->path(), number));
    }
    ::close(fd);
    if (pid < 0) return log("client " + std::to_string(number) + ": cannot be served now");
    ::setpgid(pid, pid);
    clients_.emplace(pid, Client{std::move(*directory), number});
  }

  // The process of one client.
  int be_client(int fd, const std::string& directory, unsigned number) const {
    const std::string who = "client " + std::to_string(number) + ": ";
    try {
      Diagnostics diags;
      auto stream = serve_stream(fd, options_.tls, kHandshakeTime, diags);
      if (!stream || ::chdir(directory.c_str()) != 0) {
        log(who + (diags.has_errors() ? diags.all()[0].message : std::strerror(errno)));
        return 1;
      }
      log(who + serve_session(**stream, directory, options_.session));
      return 0;
    } catch (const std::exception& error) {
      log(who + error.what());
      return 1;
    }
  }

  // Whatever is left of those that are gone goes with them.
  void reap() {
    for (auto it = clients_.begin(); it != clients_.end();) {
      siginfo_t ended{};
      const int got = ::waitid(P_PID, static_cast<id_t>(it->first), &ended, WEXITED | WNOHANG | WNOWAIT);
      if (got == 0 && ended.si_pid == 0) {
        ++it;
        continue;
      }
      forget_child(it->first);
      int status = 0;
      while (::waitpid(it->first, &status, 0) < 0 && errno == EINTR) {
      }
      ::kill(-it->first, SIGKILL);
      if (WIFSIGNALED(status))
        log("client " + std::to_string(it->second.number) + ": its process died of signal " +
            std::to_string(WTERMSIG(status)));
      it = clients_.erase(it);
    }
  }

  const ServeOptions& options_;
  Listener listener_;
  std::map<pid_t, Client> clients_;
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
