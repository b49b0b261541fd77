#include "sdk/base/support/leftovers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "sdk/base/support/cores.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

struct Registry {
  std::mutex uninterrupted;  // taken before the other
  std::mutex mutex;
  std::multiset<std::string> paths;
  std::set<pid_t> children;
};

// Never destroyed: threads and destructors of static objects may come late.
Registry& registry() {
  alignas(Registry) static std::array<std::byte, sizeof(Registry)> place;  // no memory that could be wanting
  static Registry& one = *new (place.data()) Registry;
  return one;
}

// The handler writes the signal's number to this pipe. What has been forked and runs no program yet has both, so the
// owner is compared first.
int signal_pipe = -1;
pid_t signal_owner = 0;

void die_of(int number) {
  ::signal(number, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, number);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(number);
}

void on_signal(int number) {
  const int before = errno;
  const auto byte = static_cast<char>(number);
  if (::getpid() != signal_owner || ::write(signal_pipe, &byte, 1) != 1) die_of(number);
  errno = before;
}

// Threads go on meanwhile, but register nothing and start nothing: what they still write into a folder goes with the
// next attempt.
void remove_leftovers(const Registry& all) {
  constexpr int kAttempts = 200;
  for (const pid_t child : all.children) {
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
  }
  for (const std::string& path : all.paths) {
    std::error_code ignored;
    for (int i = 0; i < kAttempts; ++i) {
      remove_whole(path);
      if (!fs::exists(fs::symlink_status(path, ignored))) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

[[noreturn]] void wait_for_signals(int from) {
  char number = 0;
  while (::read(from, &number, 1) != 1) {
  }
  Registry& all = registry();
  const std::lock_guard whole(all.uninterrupted);
  const std::lock_guard lock(all.mutex);
  give_back_job_slots();
  remove_leftovers(all);
  die_of(number);
  ::_exit(128 + number);
}

}  // namespace

void remove_whole(const std::string& path) {
  constexpr int kAttempts = 2;
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return;
  std::error_code error;
  for (int i = 0; i < kAttempts && (i == 0 || error); ++i) fs::remove_all(path, error);
}

Leftover::Leftover(std::string path) {
  if (path.empty()) return;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  path_ = error ? std::move(path) : absolute.string();
  const std::lock_guard lock(registry().mutex);
  registry().paths.insert(path_);
}

Leftover& Leftover::operator=(Leftover&& other) noexcept {
  forget();
  path_ = std::exchange(other.path_, {});
  return *this;
}

void Leftover::forget() {
  if (path_.empty()) return;
  const std::lock_guard lock(registry().mutex);
  if (const auto at = registry().paths.find(path_); at != registry().paths.end()) registry().paths.erase(at);
  path_.clear();
}

pid_t start_child(const std::function<pid_t()>& start) {
  const std::lock_guard lock(registry().mutex);
  const pid_t pid = start();
  if (pid > 0) registry().children.insert(pid);
  return pid;
}

void forget_child(pid_t child) {
  const std::lock_guard lock(registry().mutex);
  registry().children.erase(child);
}

// Whoever ends may hold the locks himself.
void take_leftovers() {
  Registry& all = registry();
  const std::unique_lock whole(all.uninterrupted, std::try_to_lock);
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  give_back_job_slots();
  remove_leftovers(all);
}

Uninterrupted::Uninterrupted() : lock_(registry().uninterrupted) {}

void take_leftovers_on_signals() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  try {
    std::thread([from = ends[0]] { wait_for_signals(from); }).detach();
  } catch (const std::system_error&) {  // without one, signals end the process and nothing else
    for (const int fd : ends) ::close(fd);
    return;
  }
  signal_pipe = ends[1];
  signal_owner = ::getpid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace byoc
