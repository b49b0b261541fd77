// The identity and state of a file when it was read. Outputs must not replace an input, and a file that changed between
// two reads has been read in two states.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"

namespace byoc {

struct FileStamp {
  std::string path;
  dev_t device = 0;
  ino_t inode = 0;
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // nanoseconds since 1970

  // For mapped files: true once a page could not be read and was replaced by zeros (mapping_guard.hpp).
  std::shared_ptr<std::atomic<bool>> lost = {};

  FileStamp(std::string path, const struct stat& status);
  // Empty if there is no such file.
  [[nodiscard]] static std::optional<FileStamp> of(const std::string& path);
  [[nodiscard]] bool is(const struct stat& status) const { return status.st_dev == device && status.st_ino == inode; }
};

// "a file", "a folder", "a pipe" ...
[[nodiscard]] const char* kind_of_file(mode_t mode);

// The stamps of those files that exist.
[[nodiscard]] std::vector<FileStamp> stamps_of(std::span<const std::string> paths);

// Errors: a file that is gone, is another one, or has another size or time than its stamp says.
[[nodiscard]] Result<void> check_unchanged(std::span<const FileStamp> files, Diagnostics&);

}  // namespace byoc
