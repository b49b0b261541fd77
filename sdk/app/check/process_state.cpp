#include "sdk/app/check/process_state.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cfenv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <thread>

extern char** environ;

namespace byoc::check {

namespace {

constexpr const char* kThreads = "the number of threads";

std::size_t threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace

ProcessState process_state() {
  namespace fs = std::filesystem;
  ProcessState out;
  out["the locale"] = std::setlocale(LC_ALL, nullptr);
  for (int s = 1; s < 32; ++s) {
    struct sigaction action{};
    if (::sigaction(s, nullptr, &action) != 0) continue;
    const auto handler = reinterpret_cast<std::uintptr_t>(action.sa_sigaction);
    out["the handler of SIG" + std::string(sigabbrev_np(s))] =
        handler == reinterpret_cast<std::uintptr_t>(SIG_DFL)   ? "default"
        : handler == reinterpret_cast<std::uintptr_t>(SIG_IGN) ? "ignored"
                                                               : "a function";
  }
  sigset_t blocked;
  if (::sigprocmask(SIG_BLOCK, nullptr, &blocked) == 0) {
    std::string text;
    for (int s = 1; s < 32; ++s)
      if (::sigismember(&blocked, s) == 1) text += "SIG" + std::string(sigabbrev_np(s)) + " ";
    out["the blocked signals"] = text;
  }
  for (char** e = environ; e != nullptr && *e != nullptr; ++e) {
    const std::string entry = *e;
    const std::size_t equals = entry.find('=');
    out["the environment variable " + entry.substr(0, equals)] =
        equals == std::string::npos ? "" : entry.substr(equals + 1);
  }
  std::error_code error;
  out["the working folder"] = fs::current_path(error).string();
  const mode_t mask = ::umask(0);
  ::umask(mask);
  out["the umask"] = std::to_string(mask);
  out["the rounding of floats"] = std::to_string(std::fegetround());
  const std::pair<__rlimit_resource, const char*> limits[] = {{RLIMIT_NOFILE, "the limit of open files"},
                                                              {RLIMIT_CORE, "the limit of core dumps"},
                                                              {RLIMIT_STACK, "the limit of the stack"}};
  for (const auto& [which, name] : limits) {
    rlimit limit{};
    if (::getrlimit(which, &limit) == 0) out[name] = std::to_string(limit.rlim_cur);
  }
  out[kThreads] = std::to_string(threads());
  for (const auto& entry : fs::directory_iterator("/proc/self/fd", error)) {
    const fs::path target = fs::read_symlink(entry.path(), error);
    // The folder that is being read has a descriptor of its own.
    if (error || target.string().starts_with("/proc/")) continue;
    out["the open file " + entry.path().filename().string()] = target.string();
  }
  return out;
}

ProcessState process_state_after(const ProcessState& before) {
  const std::size_t expected = std::stoul(before.at(kThreads));
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (threads() > expected && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return process_state();
}

}  // namespace byoc::check
