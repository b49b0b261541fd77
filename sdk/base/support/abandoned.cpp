#include "sdk/base/support/abandoned.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "sdk/base/support/leftovers.hpp"

namespace byoc {
namespace {

constexpr std::size_t kRandom = 6;  // characters that mkdtemp() adds

struct Locks {
  std::mutex mutex;
  std::map<std::string, int> descriptors;
};

// Never destroyed: folders may outlive static objects.
Locks& locks() {
  static Locks& one = *new Locks;
  return one;
}

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// The lock says that nobody has it, unless its maker comes to the lock next, or is a version of byoc without any.
bool is_abandoned(int fd, std::chrono::seconds age) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || status.st_uid != ::geteuid()) return false;
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return false;
  return status.st_mtime + age.count() <= ::time(nullptr);
}

bool is_temporary_name(std::string_view name) {
  const std::string_view start = kTemporaryName;
  return name.size() == start.size() + kRandom && name.starts_with(start) &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", start.size()) ==
             std::string_view::npos;
}

}  // namespace

void hold_folder(const std::string& path) {
  const int fd = open_folder(path);
  if (fd < 0) return;
  while (::flock(fd, LOCK_SH) != 0 && errno == EINTR) {
  }
  const std::lock_guard lock(locks().mutex);
  locks().descriptors.insert_or_assign(path, fd);
}

void let_folder_go(const std::string& path) {
  const std::lock_guard lock(locks().mutex);
  const auto at = locks().descriptors.find(path);
  if (at == locks().descriptors.end()) return;
  ::close(at->second);
  locks().descriptors.erase(at);
}

void remove_abandoned(const std::string& folder, std::chrono::seconds age) {
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return;
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(entries))
    if (is_temporary_name(entry->d_name)) names.emplace_back(entry->d_name);
  ::closedir(entries);
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const int fd = open_folder(path);
    if (fd < 0) continue;
    if (is_abandoned(fd, age)) remove_whole(path);
    ::close(fd);
  }
}

}  // namespace byoc
