#include "sdk/base/support/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <new>

#include "sdk/base/support/abandoned.hpp"

namespace byoc {

Result<InputFile> InputFile::open(const std::string& path, Diagnostics& diags) {
  if (path.find('\0') != std::string::npos)
    return diags.error(path.c_str(), {}, "cannot be opened: its name has a NUL in it");
  struct stat status{};
  // A device is not so much as opened, and a pipe not waited for.
  if (::stat(path.c_str(), &status) != 0)
    return diags.error(path, {}, std::string("cannot be opened: ") + std::strerror(errno));
  const bool regular = S_ISREG(status.st_mode);
  const int fd = regular ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
  if (regular && fd < 0) return diags.error(path, {}, std::string("cannot be opened: ") + std::strerror(errno));
  InputFile file(fd, FileStamp(path, status));
  if (regular && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    file.stamp_ = FileStamp(path, status);
    return file;
  }
  return diags.error(path, {}, "not a regular file", kind_of_file(status.st_mode), "a file");
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> InputFile::read(std::uint64_t offset, std::span<std::byte> to, Diagnostics& diags) const {
  while (!to.empty()) {
    const ssize_t n = ::pread(fd_, to.data(), to.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return diags.error(stamp_.path, {}, std::string("cannot be read: ") + std::strerror(errno));
    if (n == 0)
      return diags.error(stamp_.path, {}, "changed while it was read", std::to_string(offset) + " bytes",
                         std::to_string(stamp_.size) + " bytes");
    to = to.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return {};
}

Result<std::string> read_text(const std::string& path, Diagnostics& diags, std::vector<FileStamp>* read) {
  const auto file = InputFile::open(path, diags);
  if (!file) return failure;
  std::string text(file->stamp().size, '\0');
  if (!file->read(0, std::as_writable_bytes(std::span(text)), diags)) return failure;
  if (read != nullptr) read->push_back(file->stamp());
  return text;
}

bool write_all(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

std::string temporary_folder() {
  const char* base = std::getenv("TMPDIR");
  return base != nullptr && *base != 0 ? base : "/tmp";
}

void make_folders_for(const std::string& root, const std::string& name) {
  std::error_code ignored;
  std::filesystem::path folder = root;
  for (const auto& part : std::filesystem::path(name).parent_path())
    std::filesystem::create_directory(folder /= part, ignored);
}

Result<TemporaryDirectory> TemporaryDirectory::create(Diagnostics& diags) {
  static std::once_flag looked;
  std::call_once(looked, [] { remove_abandoned(temporary_folder(), std::chrono::minutes(10)); });
  std::string path = temporary_folder() + "/" + kTemporaryName + "XXXXXX";
  const Uninterrupted whole;  // until it is known
  if (::mkdtemp(path.data()) == nullptr)
    return diags.error(path, {}, std::string("cannot be created: ") + std::strerror(errno));
  try {
    hold_folder(path);
    return TemporaryDirectory(path);
  } catch (const std::bad_alloc&) {  // nobody knows of it yet
    ::rmdir(path.c_str());
    throw;
  }
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  remove_whole(path_);
  let_folder_go(path_);
}

}  // namespace byoc
