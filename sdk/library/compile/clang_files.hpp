// The file system that the in-process compiler sees. Internal to this folder; no LLVM type in it.
#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace byoc::compile {

// The files of the machine that may be read, and those that were read. Without this check, a bare Clang for a
// bare-metal target would silently take the headers of this machine's own C library.
class FileLog {
 public:
  explicit FileLog(std::vector<std::string> roots) : roots_(std::move(roots)) {}
  // True if `path`, with its ".." resolved, is a root or below one. /usr/include/newlib does not open /usr/include.
  [[nodiscard]] bool allows(const std::string& given) const {
    const std::string path = std::filesystem::path(given).lexically_normal().string();
    for (const std::string& root : roots_)
      if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/')) return true;
    return false;
  }
  void add(const std::string& path) {
    const std::lock_guard lock(mutex_);
    read_.insert(path);
  }
  [[nodiscard]] std::vector<std::string> read() const {
    const std::lock_guard lock(mutex_);
    return {read_.begin(), read_.end()};
  }

 private:
  std::vector<std::string> roots_;
  mutable std::mutex mutex_;
  std::set<std::string> read_;
};

}  // namespace byoc::compile
