#include "sdk/base/support/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "sdk/base/support/helper_program.hpp"
#include "sdk/base/support/leftovers.hpp"
#include "sdk/base/support/message.hpp"

namespace byoc {

// A page that both processes see.
struct Worker::Shared : SharedPage {};

namespace {

constexpr std::size_t kOutputKept = 4096;
constexpr int kSliceMilliseconds = 100;  // how often a silent worker is looked after
constexpr int kGraceMilliseconds = 1000;
constexpr std::uint64_t kLongestMessage = std::uint64_t{1} << 40;

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
    case Kind::not_started:
      return "a worker cannot be started: " +
             (code == 0 ? output : (output.empty() ? "" : output + ": ") + std::strerror(code));
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

namespace {

// The program's descriptors are above those that it gets in the end, so that none is replaced before it is copied.
constexpr int kAbove = 16;
bool raise(int& fd) {
  const int higher = ::fcntl(fd, F_DUPFD_CLOEXEC, kAbove);
  if (higher < 0) return false;
  ::close(std::exchange(fd, higher));
  return true;
}

struct Actions {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  Actions() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  ~Actions() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
};

// Errno, or 0. `fds`: what the program has as its descriptors from 0 on; -1: nothing to read.
int spawn(const std::string& program, std::span<const int> fds, pid_t& pid) {
  Actions how;
  ::posix_spawn_file_actions_addopen(&how.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (std::size_t i = 0; i < fds.size(); ++i)
    if (fds[i] >= 0) ::posix_spawn_file_actions_adddup2(&how.files, fds[i], static_cast<int>(i));
  // Whatever else this process has open is none of the program's, also where a library forgot to say so.
  const auto last = static_cast<int>(fds.size()) - (fds.back() >= 0 ? 0 : 1);
  ::posix_spawn_file_actions_addclosefrom_np(&how.files, last);
  sigset_t none, usual;
  ::sigemptyset(&none);
  ::sigemptyset(&usual);
  for (const int number : {SIGTERM, SIGCHLD}) ::sigaddset(&usual, number);
  ::posix_spawnattr_setflags(&how.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&how.attributes, 0);
  ::posix_spawnattr_setsigmask(&how.attributes, &none);
  ::posix_spawnattr_setsigdefault(&how.attributes, &usual);
  const std::array<const char*, 3> arguments{kHelperName, helper_version(), nullptr};
  return ::posix_spawn(&pid, program.c_str(), &how.files, &how.attributes, const_cast<char* const*>(arguments.data()),
                       environ);
}

}  // namespace

bool Worker::start(int given_here) {
  std::string why;
  const std::string program = find_helper_program(why);
  if (program.empty()) {
    errno = 0;
    end_.output = why;
    return false;
  }
  std::array<int, 2> channel{-1, -1}, output{-1, -1}, life{-1, -1};
  int page = ::memfd_create("byoc-worker", MFD_CLOEXEC), error = 0;
  const int given = given_here < 0 ? -1 : ::fcntl(given_here, F_DUPFD_CLOEXEC, kAbove);
  const bool there = page >= 0 && ::ftruncate(page, sizeof(Shared)) == 0 &&
                     ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()) == 0 &&
                     ::pipe2(output.data(), O_CLOEXEC) == 0 && ::pipe2(life.data(), O_CLOEXEC) == 0 &&
                     raise(channel[1]) && raise(output[1]) && raise(life[0]) && raise(page);
  void* memory = MAP_FAILED;
  if (there) memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
  if (memory == MAP_FAILED) {
    error = errno;
  } else {
    shared_ = new (memory) Shared{0};
    pid_ = start_child([&] {
      pid_t pid = -1;
      error = spawn(program, std::array{-1, output[1], output[1], channel[1], page, life[0], given}, pid);
      return error == 0 ? pid : -1;
    });
  }
  if (pid_ > 0) {
    channel_ = std::exchange(channel[0], -1);
    output_ = std::exchange(output[0], -1);
    lifeline_ = std::exchange(life[1], -1);
    ::fcntl(channel_, F_SETFL, O_NONBLOCK);
    ::fcntl(output_, F_SETFL, O_NONBLOCK);
  }
  for (const int fd : {channel[0], channel[1], output[0], output[1], life[0], life[1], page, given})
    if (fd >= 0) ::close(fd);
  errno = error;
  if (error == ENOENT || error == EACCES) end_.output = program;
  return pid_ > 0;
}

Worker::Worker(std::string_view service, std::string_view arguments, const WorkerLimits& limits, int given)
    : limits_(limits) {
  end_.limits = limits;
  begin_job();
  if (!start(given)) {
    end_.kind = WorkerEnd::Kind::not_started;
    end_.code = errno;
    return;
  }
  MessageWriter first;
  first.put(service);
  first.put<std::uint64_t>(limits.memory == 0 ? 0 : limits.memory + limits.mapped);
  (void)(send(first.bytes()) && send(arguments));
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
  for (int* fd : {&channel_, &output_, &lifeline_}) {
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

bool Worker::has_answer() const {
  pollfd channel{channel_, POLLIN, 0};
  return channel_ < 0 || ::poll(&channel, 1, 0) > 0;
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

JobResult run_job(std::string_view service, std::string_view arguments, const WorkerLimits& limits, int given) {
  Worker worker(service, arguments, limits, given);
  JobResult result;
  result.bytes = worker.receive();
  result.end = result.bytes ? worker.finish() : worker.end();
  if (result.bytes && result.end.kind != WorkerEnd::Kind::done) result.bytes.reset();
  return result;
}

}  // namespace byoc
