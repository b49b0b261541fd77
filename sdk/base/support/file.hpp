// Files read whole, and folders for what is temporary; sdk/base/support/output_set.hpp writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdk/base/support/diagnostics.hpp"
#include "sdk/base/support/file_stamp.hpp"
#include "sdk/base/support/leftovers.hpp"

namespace byoc {

// A regular file, open to be read.
class InputFile {
 public:
  // Errors: none of this name, a name with NUL in it, one that cannot be opened; a folder, a pipe, a socket or a
  // device, whose end nobody knows.
  [[nodiscard]] static Result<InputFile> open(const std::string& path, Diagnostics&);
  ~InputFile();
  InputFile(InputFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), stamp_(std::move(other.stamp_)) {}
  InputFile& operator=(InputFile&&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const FileStamp& stamp() const { return stamp_; }
  // `to.size()` bytes from `offset` on. Error: they are not there any more.
  Result<void> read(std::uint64_t offset, std::span<std::byte> to, Diagnostics&) const;

 private:
  InputFile(int fd, FileStamp stamp) : fd_(fd), stamp_(std::move(stamp)) {}
  int fd_;
  FileStamp stamp_;
};

// `read`: is added the file, as it was when it was opened; may be null.
[[nodiscard]] Result<std::string> read_text(const std::string& path, Diagnostics&,
                                            std::vector<FileStamp>* read = nullptr);

// write(2) until everything is out; false with errno set.
[[nodiscard]] bool write_all(int fd, std::span<const std::byte> bytes);

// The folder for temporary files: $TMPDIR or /tmp.
[[nodiscard]] std::string temporary_folder();

// Makes the folders of `name` that are missing in `root`, which is never made itself: a signal may have removed it.
// Whoever then opens the file learns of errors.
void make_folders_for(const std::string& root, const std::string& name);

// A fresh private directory, removed with everything in it at the end.
class TemporaryDirectory {
 public:
  static Result<TemporaryDirectory> create(Diagnostics&);
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& other) noexcept
      : path_(std::move(other.path_)), leftover_(std::move(other.leftover_)) {
    other.path_.clear();
  }
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryDirectory(const std::string& path) : path_(path), leftover_(path) {}
  std::string path_;
  Leftover leftover_;
};

}  // namespace byoc
