#include "sdk/base/support/supervise.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace byoc {
namespace {

// The kernel's list of this process's children: numbers with blanks between them. False: there are none.
bool kill_children() {
  std::array<char, 4096> text{};
  const int fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  bool any = false;
  pid_t pid = 0;
  for (ssize_t i = 0; i < n; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c >= '0' && c <= '9') {
      pid = pid * 10 + (c - '0');
    } else if (pid != 0) {
      ::kill(pid, SIGKILL);
      any = true;
      pid = 0;
    }
  }
  return any;
}

// Children of what was killed become this process's own: again until there are none.
void end_all() {
  while (kill_children())
    while (::waitpid(-1, nullptr, 0) < 0 && errno == EINTR) {
    }
}

[[noreturn]] void end_as(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::kill(::getpid(), number);
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

[[noreturn]] void stand_by(pid_t worker, const sigset_t& awaited, int lifeline) {
  const int signals = ::signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
  for (;;) {
    int status = 0;
    for (pid_t ended = 0; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != worker) continue;
      end_all();
      end_as(status);
    }
    std::array<pollfd, 2> polls{pollfd{signals, POLLIN, 0}, pollfd{lifeline, POLLIN, 0}};
    if (::poll(polls.data(), polls.size(), signals < 0 ? 1 : -1) < 0) continue;
    bool end = polls[1].revents != 0;
    if (end) lifeline = -1;
    for (signalfd_siginfo told{}; ::read(signals, &told, sizeof told) == static_cast<ssize_t>(sizeof told);)
      end = end || told.ssi_signo == SIGTERM;
    if (end) ::kill(worker, SIGKILL);
  }
}

}  // namespace

void supervise(int channel, int lifeline) {
  sigset_t awaited, before;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGTERM);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &awaited, &before);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t self = ::getpid(), worker = ::fork();
  if (worker > 0) {
    ::close(channel);
    stand_by(worker, awaited, lifeline);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (worker == 0 && ::getppid() != self) ::_exit(1);
}

}  // namespace byoc
