#include "tests/support/in_children.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

namespace byoc::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Range {
  std::size_t begin, end;
};

struct Child {
  Range items{};  // those it has not finished
  pid_t pid = 0;
  int results = -1;  // pipe: for each item the length of its text in 8 bytes, then the text
  int errors = -1;   // memory file that is its standard error
  std::string read;  // and not taken yet
  Clock::time_point deadline;
};

bool write_whole(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n <= 0) return false;
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void be_child(Range items, int results, const std::function<std::string(std::size_t)>& work) {
  for (std::size_t i = items.begin; i < items.end; ++i) {
    if (ftruncate(2, 0) == 0) lseek(2, 0, SEEK_SET);  // what earlier items said is of no interest
    const std::string text = work(i);
    const std::uint64_t size = text.size();
    if (!write_whole(results, reinterpret_cast<const char*>(&size), sizeof size) ||
        !write_whole(results, text.data(), text.size()))
      _exit(3);
  }
  _exit(0);  // no destructors: they are the parent's
}

Child start(Range items, const std::function<std::string(std::size_t)>& work) {
  Child child;
  child.items = items;
  int ends[2];
  child.errors = memfd_create("stderr", MFD_CLOEXEC);
  if (pipe2(ends, O_CLOEXEC) != 0 || child.errors < 0) std::abort();
  std::fflush(nullptr);
  child.pid = fork();
  if (child.pid < 0) std::abort();
  if (child.pid == 0) {
    dup2(child.errors, 2);
    be_child(items, ends[1], work);
  }
  close(ends[1]);
  child.results = ends[0];
  return child;
}

std::string last_words(int errors) {
  char buffer[4096];
  const off_t size = lseek(errors, 0, SEEK_END);
  const off_t from = size > off_t{sizeof buffer} ? size - off_t{sizeof buffer} : 0;
  const ssize_t n = pread(errors, buffer, sizeof buffer, from);
  return n > 0 ? ": " + std::string(buffer, static_cast<std::size_t>(n)) : "";
}

// How the process ended; "" if it did what it should.
std::string ending(Child& child, bool timed_out, unsigned timeout_seconds) {
  int status = 0;
  waitpid(child.pid, &status, 0);
  std::string out;
  if (timed_out)
    out = "no end within " + std::to_string(timeout_seconds) + " s" + last_words(child.errors);
  else if (WIFSIGNALED(status))
    out = "SIG" + std::string(sigabbrev_np(WTERMSIG(status))) + last_words(child.errors);
  else if (WEXITSTATUS(status) != 0 || child.items.begin < child.items.end)
    out = "exit code " + std::to_string(WEXITSTATUS(status)) + last_words(child.errors);
  close(child.results);
  close(child.errors);
  return out;
}

}  // namespace

void run_in_children(std::size_t count, const ChildOptions& options,
                     const std::function<std::string(std::size_t)>& work,
                     const std::function<void(std::size_t, const ChildResult&)>& done) {
  const auto patience = std::chrono::seconds(options.timeout_seconds);
  std::deque<Range> waiting;
  for (std::size_t i = 0; i < count; i += options.chunk) waiting.push_back({i, std::min(count, i + options.chunk)});
  std::vector<Child> running;
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < options.jobs) {
      running.push_back(start(waiting.front(), work));
      running.back().deadline = Clock::now() + patience;
      waiting.pop_front();
    }
    std::vector<pollfd> pipes;
    for (const Child& c : running) pipes.push_back({c.results, POLLIN, 0});
    poll(pipes.data(), pipes.size(), 1000);
    for (std::size_t k = running.size(); k-- > 0;) {
      Child& c = running[k];
      bool ended = false;
      if (pipes[k].revents != 0) {
        char buffer[65536];
        const ssize_t n = read(c.results, buffer, sizeof buffer);
        if (n > 0) c.read.append(buffer, static_cast<std::size_t>(n));
        ended = n <= 0;
      }
      for (std::uint64_t size = 0; c.read.size() >= sizeof size;) {
        std::memcpy(&size, c.read.data(), sizeof size);
        if (c.read.size() - sizeof size < size) break;
        done(c.items.begin++, {c.read.substr(sizeof size, size), ""});
        c.read.erase(0, sizeof size + size);
        c.deadline = Clock::now() + patience;
      }
      const bool timed_out = !ended && Clock::now() > c.deadline;
      if (timed_out) kill(c.pid, SIGKILL);
      if (!ended && !timed_out) continue;
      const std::string crash = ending(c, timed_out, options.timeout_seconds);
      const Range left = c.items;
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(k));
      if (left.begin == left.end) continue;
      done(left.begin, {"", crash});
      if (left.begin + 1 < left.end) waiting.push_front({left.begin + 1, left.end});
    }
  }
}

}  // namespace byoc::test
