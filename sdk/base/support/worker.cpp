#include "sdk/base/support/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "sdk/base/support/leftovers.hpp"
#include "sdk/base/support/mapping_guard.hpp"
#include "sdk/base/support/supervise.hpp"

namespace byoc {

// A page that both processes see.
struct Worker::Shared {
  volatile std::uint32_t out_of_memory;
};

namespace {

constexpr std::size_t kOutputKept = 4096;
constexpr int kSliceMilliseconds = 100;  // how often a silent worker is looked after
constexpr int kGraceMilliseconds = 1000;
constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 40;

// State for a worker's signal handler and new handler, which cannot take arguments.
volatile std::uint32_t* out_of_memory_flag = nullptr;
std::uint64_t memory_at_limit = 0;

// The size of this process's address space in bytes; 0 if unknown. Safe in signal handlers.
std::uint64_t address_space() {
  std::array<char, 64> text{};
  const int fd = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  std::uint64_t pages = 0;
  for (ssize_t i = 0; i < n && text[static_cast<std::size_t>(i)] >= '0' && text[static_cast<std::size_t>(i)] <= '9';
       ++i)
    pages = pages * 10 + static_cast<std::uint64_t>(text[static_cast<std::size_t>(i)] - '0');
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Code that does not look at what malloc returned dies of it: told apart from other deaths by how much it had.
void on_fatal_signal(int number, siginfo_t* info, void*) {
  if (number == SIGBUS && info->si_code > 0 && mend_mapping(info->si_addr)) return;
  constexpr std::uint64_t kSlack = std::uint64_t{4} << 20;  // the pieces that allocators ask for
  if (address_space() + kSlack > memory_at_limit) *out_of_memory_flag = 1;
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void on_failed_new() {
  *out_of_memory_flag = 1;
  ::_exit(1);
}

void limit_memory(std::uint64_t bytes) {
  memory_at_limit = address_space() + bytes;
  const rlimit limit{memory_at_limit, memory_at_limit};
  ::setrlimit(RLIMIT_AS, &limit);
  std::set_new_handler(on_failed_new);
  static std::array<char, 65536> stack;  // of the handlers, for when the thread's own has run out
  stack_t own{};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  ::sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int s : {SIGSEGV, SIGBUS, SIGABRT}) ::sigaction(s, &action, nullptr);
}

bool send_all(int fd, const char* from, std::size_t size) {
  while (size != 0) {
    const ssize_t n = ::send(fd, from, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(int fd, char* to, std::size_t size) {
  while (size != 0) {
    const ssize_t n = ::recv(fd, to, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMebi = 1 << 20;
  return bytes % kMebi == 0 ? std::to_string(bytes / kMebi) + " MiB" : std::to_string(bytes) + " bytes";
}

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  constexpr std::size_t kLongest = 300;
  if (text.size() > kLongest) text.erase(0, text.size() - kLongest);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return text;
}

}  // namespace

std::string WorkerEnd::text() const {
  std::string out;
  switch (kind) {
    case Kind::alive: return "is alive";
    case Kind::done: return "has ended";
    case Kind::exited: out = "ended the process with exit code " + std::to_string(code); break;
    case Kind::signalled: out = "died of signal " + std::to_string(code) + " (" + ::strsignal(code) + ")"; break;
    case Kind::timed_out: out = "took longer than " + std::to_string(limits.seconds) + " s"; break;
    case Kind::out_of_memory:
      out = "needed more " +
            (limits.memory == 0 ? "memory than there is" : "than " + size_text(limits.memory) + " of memory");
      break;
    case Kind::garbled: out = "sent what is no message"; break;
    case Kind::not_started: return std::string("a worker cannot be started: ") + std::strerror(code);
  }
  const std::string last = last_line(output);
  return last.empty() ? out : out + ": " + last;
}

bool Worker::Channel::send(std::string_view message) {
  const std::uint64_t size = message.size();
  return send_all(fd_, reinterpret_cast<const char*>(&size), sizeof size) &&
         send_all(fd_, message.data(), message.size());
}

std::optional<std::string> Worker::Channel::receive() {
  std::uint64_t size = 0;
  if (!receive_all(fd_, reinterpret_cast<char*>(&size), sizeof size)) return std::nullopt;
  std::string message(static_cast<std::size_t>(size), '\0');
  if (!receive_all(fd_, message.data(), message.size())) return std::nullopt;
  return message;
}

void Worker::set_up_child(int channel, int output, pid_t parent) const {
  ::__fpurge(stdout);  // what this process has still to write is not the worker's
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // of the process that supervises the worker, which ends it then
  if (::getppid() != parent) ::_exit(1);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::fcntl(channel, F_SETFD, FD_CLOEXEC);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  out_of_memory_flag = &shared_->out_of_memory;
  if (limits_.memory != 0) limit_memory(limits_.memory);
}

Worker::Worker(const std::function<void(Channel&)>& body, const WorkerLimits& limits) : limits_(limits) {
  end_.limits = limits;
  std::array<int, 2> channel{-1, -1}, output{-1, -1};
  void* page = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) shared_ = new (page) Shared{0};
  if (shared_ != nullptr && ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()) == 0 &&
      ::pipe2(output.data(), O_CLOEXEC) == 0) {
    const pid_t parent = ::getpid();
    pid_ = fork_child();
    if (pid_ == 0) {
      set_up_child(channel[1], output[1], parent);
      ::close(channel[0]);
      ::close(output[0]);
      supervise(channel[1]);
      Channel own(channel[1]);
      try {
        body(own);
      } catch (const std::bad_alloc&) {
        shared_->out_of_memory = 1;
        ::_exit(1);
      }
      ::_exit(0);
    }
  }
  if (pid_ < 0) {
    end_.kind = WorkerEnd::Kind::not_started;
    end_.code = errno;
  } else {
    ::setpgid(pid_, pid_);  // here too, so that it is done before anybody kills the group
    channel_ = std::exchange(channel[0], -1);
    output_ = std::exchange(output[0], -1);
    ::fcntl(channel_, F_SETFL, O_NONBLOCK);
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
  }
  for (const int fd : {channel[0], channel[1], output[0], output[1]})
    if (fd >= 0) ::close(fd);
  begin_job();
}

Worker::~Worker() {
  if (pid_ > 0) stop(WorkerEnd::Kind::done);
  close_all();
  if (shared_ != nullptr) ::munmap(shared_, sizeof(Shared));
}

void Worker::begin_job() {
  received_ = 0;
  if (limits_.seconds != 0) deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(limits_.seconds);
}

void Worker::close_all() {
  for (int* fd : {&channel_, &output_}) {
    if (*fd >= 0) ::close(*fd);
    *fd = -1;
  }
}

void Worker::drain_output() {
  std::array<char, 4096> buffer;
  // Bounded, so that a worker that does nothing but print is still looked after.
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = output_ < 0 ? 0 : ::read(output_, buffer.data(), buffer.size());
    if (n <= 0) {
      if (n == 0 && output_ >= 0) ::close(std::exchange(output_, -1));
      return;
    }
    end_.output.append(buffer.data(), static_cast<std::size_t>(n));
    if (end_.output.size() > kOutputKept) end_.output.erase(0, end_.output.size() - kOutputKept);
  }
}

// True if the worker is dead and has not been reaped yet.
bool Worker::is_dead(bool wait) const {
  siginfo_t ended{};
  int got = 0;
  while ((got = ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT | (wait ? 0 : WNOHANG))) < 0 &&
         errno == EINTR) {
  }
  return got != 0 || ended.si_pid != 0;
}

// Takes note of the worker's death. False if it lives.
bool Worker::reap(bool wait) {
  if (pid_ <= 0) return true;
  if (!is_dead(wait)) return false;
  forget_child(pid_);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  drain_output();
  ::kill(-pid_, SIGKILL);  // whatever it has started
  pid_ = -1;
  if (end_.kind != WorkerEnd::Kind::alive) return true;
  if (shared_->out_of_memory != 0) {
    end_.kind = WorkerEnd::Kind::out_of_memory;
  } else if (WIFSIGNALED(status)) {
    end_.kind = WorkerEnd::Kind::signalled;
    end_.code = WTERMSIG(status);
  } else {
    end_.kind = WorkerEnd::Kind::exited;
    end_.code = WEXITSTATUS(status);
  }
  return true;
}

void Worker::stop(WorkerEnd::Kind kind) {
  if (pid_ <= 0) return;
  if (reap(false)) return;
  if (end_.kind == WorkerEnd::Kind::alive) end_.kind = kind;
  // A worker that supervises others ends them on SIGTERM, unless somebody stopped it.
  ::kill(pid_, SIGTERM);
  for (int i = 0; i < kGraceMilliseconds; ++i) {
    if (reap(false)) return;
    ::poll(nullptr, 0, 1);
  }
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  reap(true);
}

Worker::Wait Worker::wait_for(short events) {
  using Clock = std::chrono::steady_clock;
  for (;;) {
    if (channel_ < 0) return Wait::closed;
    int slice = kSliceMilliseconds;
    if (deadline_) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - Clock::now()).count();
      if (left <= 0) return Wait::expired;
      slice = static_cast<int>(std::min<long long>(slice, left + 1));
    }
    std::array<pollfd, 2> polls{pollfd{channel_, events, 0}, pollfd{output_, POLLIN, 0}};
    const int n = ::poll(polls.data(), polls.size(), slice);
    if (n > 0 && polls[1].revents != 0) drain_output();
    if (n > 0 && polls[0].revents != 0) return Wait::ready;
    // Nobody writes and nobody closes: the worker may be dead while a process that it started holds the connection.
    // Once it is dead, all that it sent has arrived.
    if (n == 0 && is_dead(false)) return ::poll(polls.data(), 1, 0) > 0 ? Wait::ready : Wait::closed;
  }
}

bool Worker::send(std::string_view message) {
  const std::uint64_t size = message.size();
  const std::string head(reinterpret_cast<const char*>(&size), sizeof size);
  for (std::string_view rest : {std::string_view(head), message})
    while (!rest.empty()) {
      const Wait w = end_.kind == WorkerEnd::Kind::alive ? wait_for(POLLOUT) : Wait::closed;
      if (w == Wait::expired) return stop(WorkerEnd::Kind::timed_out), false;
      const ssize_t n = w == Wait::ready ? ::send(channel_, rest.data(), rest.size(), MSG_NOSIGNAL) : 0;
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n <= 0) return finish(), false;
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
  return true;
}

bool Worker::read_exactly(char* to, std::size_t size) {
  while (size != 0) {
    const Wait w = end_.kind == WorkerEnd::Kind::alive ? wait_for(POLLIN) : Wait::closed;
    if (w == Wait::expired) return stop(WorkerEnd::Kind::timed_out), false;
    const ssize_t n = w == Wait::ready ? ::recv(channel_, to, size, 0) : 0;
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) {
      // The end of the connection without an answer is a death, whatever the exit code.
      finish();
      if (end_.kind == WorkerEnd::Kind::done) end_.kind = WorkerEnd::Kind::exited;
      return false;
    }
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::optional<std::string> Worker::receive() {
  std::uint64_t size = 0;
  if (!read_exactly(reinterpret_cast<char*>(&size), sizeof size)) return std::nullopt;
  received_ += size;
  if (size > kLongestMessage || (limits_.memory != 0 && (size > limits_.memory || received_ > limits_.memory))) {
    stop(size > kLongestMessage ? WorkerEnd::Kind::garbled : WorkerEnd::Kind::out_of_memory);
    return std::nullopt;
  }
  // Piece by piece: a length is no reason to allocate.
  constexpr std::uint64_t kPiece = 1 << 20;
  std::string message;
  while (message.size() < size) {
    const std::size_t at = message.size();
    message.resize(at + static_cast<std::size_t>(std::min(size - at, kPiece)));
    if (!read_exactly(message.data() + at, message.size() - at)) return std::nullopt;
  }
  return message;
}

const WorkerEnd& Worker::finish() {
  if (channel_ >= 0) ::close(std::exchange(channel_, -1));
  using Clock = std::chrono::steady_clock;
  const auto grace = Clock::now() + std::chrono::milliseconds(kGraceMilliseconds);
  const auto until = std::max(grace, deadline_.value_or(grace));
  while (pid_ > 0 && !reap(false)) {
    const bool expired = Clock::now() >= until;
    if (expired) {
      stop(deadline_ ? WorkerEnd::Kind::timed_out : WorkerEnd::Kind::garbled);
      break;
    }
    pollfd output{output_, POLLIN, 0};
    ::poll(&output, 1, 2);
    drain_output();
  }
  if (end_.kind == WorkerEnd::Kind::exited && end_.code == 0) end_.kind = WorkerEnd::Kind::done;
  return end_;
}

bool is_worker() { return out_of_memory_flag != nullptr; }

JobResult run_job(const std::function<std::string()>& job, const WorkerLimits& limits) {
  Worker worker([&](Worker::Channel& channel) { channel.send(job()); }, limits);
  JobResult result;
  result.bytes = worker.receive();
  result.end = result.bytes ? worker.finish() : worker.end();
  if (result.bytes && result.end.kind != WorkerEnd::Kind::done) result.bytes.reset();
  return result;
}

}  // namespace byoc
