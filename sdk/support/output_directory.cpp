#include "sdk/support/output_directory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sdk/support/file.hpp"

namespace byoc {
namespace {

namespace fs = std::filesystem;

mode_t creation_mask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

}  // namespace

Result<OutputDirectory> OutputDirectory::create(const std::string& given, const std::string& marker,
                                                Diagnostics& diags) {
  std::error_code error;
  std::string path = given;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  // "." and the like have no name that could be exchanged.
  if (const std::string name = fs::path(path).filename().string(); name.empty() || name == "." || name == "..")
    path = fs::weakly_canonical(path, error).string();
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(status)) return diags.error(given, {}, "cannot be written", "a file", "a folder or nothing");
    if (!fs::is_empty(path, error) && !fs::exists(path + "/" + marker, error))
      return diags.error(given, {}, "is a folder that holds something else, and is left as it is", "no " + marker,
                         "an empty folder, one that was written this way, or none");
  }
  OutputDirectory out(path, diags);
  std::string temporary = path + ".XXXXXX";
  if (::mkdtemp(temporary.data()) == nullptr)
    return diags.error(given, {}, std::string("cannot be written: ") + std::strerror(errno));
  out.temporary_ = temporary;
  ::chmod(temporary.c_str(), 0777 & ~creation_mask());
  return out;
}

OutputDirectory::OutputDirectory(OutputDirectory&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), diags_(other.diags_) {
  other.temporary_.clear();
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<void> OutputDirectory::add(const std::string& name, std::string_view text) {
  return add(name, [text](int fd) { return write_all(fd, std::as_bytes(std::span(text))); });
}

Result<void> OutputDirectory::add(const std::string& name, const std::function<bool(int fd)>& write) {
  const std::string file = temporary_ + "/" + name, shown = path_ + "/" + name;
  std::error_code error;
  fs::create_directories(fs::path(file).parent_path(), error);
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return diags_->error(shown, {}, std::string("cannot be written: ") + std::strerror(errno));
  errno = 0;
  bool ok = write(fd);
  int reason = errno;
  if (::close(fd) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  if (!ok) return diags_->error(shown, {}, std::string("cannot be written: ") + std::strerror(reason ? reason : EIO));
  return {};
}

Result<void> OutputDirectory::commit() {
  const auto failed = [&] {
    return diags_->error(path_, {}, std::string("cannot be written: ") + std::strerror(errno));
  };
  if (::rename(temporary_.c_str(), path_.c_str()) == 0) {  // nothing was there, or an empty folder
    temporary_.clear();
    return {};
  }
  if (errno != ENOTEMPTY && errno != EEXIST) return failed();
  // The old folder is removed under the temporary's name, by the destructor.
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) return {};
  if (errno != EINVAL && errno != ENOSYS) return failed();
  // A file system that cannot exchange two names.
  const std::string old = temporary_ + ".old";
  if (::rename(path_.c_str(), old.c_str()) != 0) return failed();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    ::rename(old.c_str(), path_.c_str());
    errno = reason;
    return failed();
  }
  temporary_ = old;
  return {};
}

}  // namespace byoc
