#include "sdk/base/support/cores.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace byoc {
namespace {

// The slots that this process holds. They are recorded only so that their tokens are given back in time.
struct Held {
  std::mutex mutex;
  std::set<std::pair<int, const std::string*>> slots;
};
Held& held() {
  static Held& one = *new Held;  // never destroyed: a signal may come late
  return one;
}

void give_back(int to, const std::string& tokens) {
  for (std::size_t at = 0; at < tokens.size();) {
    const ssize_t n = ::write(to, tokens.data() + at, tokens.size() - at);
    if (n > 0) at += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) return;
  }
}

// The control group's folder below the file system of version 2, "" where there is none.
std::string group_folder() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return "/sys/fs/cgroup" + line.substr(3);
  return {};
}

unsigned affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int cores = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return cores > 0 ? static_cast<unsigned>(cores) : std::thread::hardware_concurrency();
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// The last word of the flags that says where the slots are; "" for none.
std::string_view jobserver(std::string_view makeflags) {
  for (const std::string_view key : {"--jobserver-auth=", "--jobserver-fds="}) {
    const std::size_t at = makeflags.rfind(key);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = makeflags.substr(at + key.size());
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

struct Ends {
  int from = -1;  // does not block, which the descriptor that make shares with everybody may not be made to
  int to = -1;
};

Ends open_ends(std::string_view where) {
  const auto open = [](const std::string& path, int flags) { return ::open(path.c_str(), flags | O_CLOEXEC); };
  if (where.starts_with("fifo:")) {
    const std::string path(where.substr(5));
    return {open(path, O_RDONLY | O_NONBLOCK), open(path, O_WRONLY | O_NONBLOCK)};
  }
  const std::size_t comma = where.find(',');
  const auto reading = number(where.substr(0, comma));
  const auto writing = comma == std::string_view::npos ? std::nullopt : number(where.substr(comma + 1));
  if (!reading || !writing) return {};
  return {open("/proc/self/fd/" + std::to_string(*reading), O_RDONLY | O_NONBLOCK),
          ::fcntl(*writing, F_DUPFD_CLOEXEC, 3)};
}

}  // namespace

unsigned cores_of_quota(std::string_view cpu_max) {
  const std::size_t blank = cpu_max.find(' ');
  if (blank == std::string_view::npos) return 0;
  const auto quota = number(cpu_max.substr(0, blank));
  const auto period = number(cpu_max.substr(blank + 1, cpu_max.find('\n') - blank - 1));
  if (!quota || !period || *quota == 0 || *period == 0) return 0;
  return static_cast<unsigned>((static_cast<long long>(*quota) + *period - 1) / *period);
}

unsigned usable_cores() {
  unsigned cores = std::max(1U, affinity());
  // Every group on the way up may have a quota.
  for (std::string folder = group_folder(); folder.size() >= std::string_view("/sys/fs/cgroup").size();
       folder.resize(folder.rfind('/'))) {
    std::ifstream file(folder + "/cpu.max");
    std::string line;
    if (std::getline(file, line))
      if (const unsigned quota = cores_of_quota(line); quota != 0) cores = std::min(cores, quota);
  }
  return cores;
}

JobSlots::JobSlots(unsigned most, const std::string& makeflags) : count_(most) {
  const std::string_view where = jobserver(makeflags);
  if (where.empty()) return;
  count_ = 0;
  const Ends ends = open_ends(where);
  to_ = ends.to;
  const std::lock_guard lock(held().mutex);
  for (char token = 0; ends.from >= 0 && ends.to >= 0 && count_ < most && ::read(ends.from, &token, 1) == 1; ++count_)
    tokens_ += token;
  if (ends.from >= 0) ::close(ends.from);
  held().slots.insert({to_, &tokens_});
}

JobSlots::~JobSlots() {
  if (to_ < 0) return;
  const std::lock_guard lock(held().mutex);
  if (held().slots.erase({to_, &tokens_}) != 0) give_back(to_, tokens_);
  ::close(to_);
}

void give_back_job_slots() {
  Held& all = held();
  const std::unique_lock lock(all.mutex, std::try_to_lock);
  for (const auto& [to, tokens] : all.slots) give_back(to, *tokens);
  all.slots.clear();
}

}  // namespace byoc
