#include "sdk/base/support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/leftovers.hpp"

namespace byoc {
namespace {

struct Pipe {
  std::array<int, 2> fd{-1, -1};
  bool open() { return ::pipe2(fd.data(), O_CLOEXEC) == 0; }
  void close_end(int i) {
    if (fd[static_cast<std::size_t>(i)] >= 0) ::close(fd[static_cast<std::size_t>(i)]);
    fd[static_cast<std::size_t>(i)] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

// The environment, with temporary files in the working directory if that is the program's own: it may be killed.
std::vector<std::string> environment_of(const ProcessOptions& options) {
  std::vector<std::string> own = options.variables;
  if (!options.directory.empty()) own.emplace_back("TMPDIR=.");
  std::vector<std::string> out;
  for (char** e = environ; *e != nullptr; ++e) {
    const auto replaces = [&](const std::string& v) {
      return std::string_view(*e).starts_with(std::string_view(v).substr(0, v.find('=') + 1));
    };
    if (std::none_of(own.begin(), own.end(), replaces)) out.emplace_back(*e);
  }
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& t : texts) out.push_back(const_cast<char*>(t.c_str()));
  out.push_back(nullptr);
  return out;
}

// In the child of a vfork(), which has this process's memory until the program runs, and must take no lock.
[[noreturn]] void child(const std::vector<char*>& argv, const std::vector<char*>& environment,
                        const std::string& directory, const Pipe& out, const Pipe& err, const Pipe& status) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, 0);
  ::dup2(out.fd[1], 1);
  ::dup2(err.fd[1], 2);
  if (!is_worker()) ::setpgid(0, 0);
  for (const int ignored : {SIGPIPE, SIGXFSZ}) ::signal(ignored, SIG_DFL);  // what this program may have set
  // A group of its own would outlive a process that is killed. The thread that starts a program waits for it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (directory.empty() || ::chdir(directory.c_str()) == 0) ::execvpe(argv[0], argv.data(), environment.data());
  const int reason = errno;
  [[maybe_unused]] ssize_t n = ::write(status.fd[1], &reason, sizeof reason);
  ::_exit(127);
}

pid_t start(const std::vector<char*>& argv, const std::vector<char*>& environment, const std::string& directory,
            const Pipe& out, const Pipe& err, const Pipe& status) {
  const pid_t pid = ::vfork();
  if (pid == 0) child(argv, environment, directory, out, err, status);
  return pid;
}

// Reads both pipes until they close; false when the deadline passed first.
bool drain(Pipe& out, Pipe& err, ProcessResult& result, const ProcessOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(options.timeout_seconds);
  std::array<char, 65536> buffer;
  while (out.fd[0] >= 0 || err.fd[0] >= 0) {
    int wait = -1;
    if (options.timeout_seconds != 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return false;
      wait = static_cast<int>(left);
    }
    std::array<pollfd, 2> polls{pollfd{out.fd[0], POLLIN, 0}, pollfd{err.fd[0], POLLIN, 0}};
    if (::poll(polls.data(), polls.size(), wait) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < 2; ++i) {
      if ((polls[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
      const ssize_t n = ::read(polls[i].fd, buffer.data(), buffer.size());
      if (n > 0 && i == 1 && options.on_errors)
        options.on_errors({buffer.data(), static_cast<std::size_t>(n)});
      else if (n > 0)
        (i == 0 ? result.output : result.errors).append(buffer.data(), static_cast<std::size_t>(n));
      else if (n == 0 || errno != EINTR)
        (i == 0 ? out : err).close_end(0);
    }
  }
  return true;
}

}  // namespace

Result<ProcessResult> run_process(const std::vector<std::string>& argv, Diagnostics& diags,
                                  const ProcessOptions& options) {
  Pipe out, err, status;
  if (!out.open() || !err.open() || !status.open())
    return diags.error({}, argv[0], std::string("cannot be started: ") + std::strerror(errno));
  const std::vector<char*> args = pointers_to(argv);
  const std::vector<std::string> variables = environment_of(options);
  const std::vector<char*> environment = pointers_to(variables);
  const pid_t pid = start_child([&] { return start(args, environment, options.directory, out, err, status); });
  if (pid < 0) return diags.error({}, argv[0], std::string("cannot be started: ") + std::strerror(errno));
  out.close_end(1);
  err.close_end(1);
  status.close_end(1);

  ProcessResult result;
  if (!drain(out, err, result, options)) {
    result.timed_out = true;
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
  }
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  forget_child(pid);
  int code = 0;
  while (::waitpid(pid, &code, 0) < 0 && errno == EINTR) {
  }
  int reason = 0;
  if (::read(status.fd[0], &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason))
    return diags.error({}, argv[0], std::string("cannot be started: ") + std::strerror(reason));
  result.exit_code = WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
  return result;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* path = std::getenv("PATH");
  std::istringstream dirs(path ? path : "/usr/bin:/bin");
  for (std::string dir; std::getline(dirs, dir, ':');) {
    std::string candidate = (dir.empty() ? "." : dir) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace byoc
