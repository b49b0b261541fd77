#include "sdk/support/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace byoc {

Result<std::string> read_text(const std::string& path, Diagnostics& diags) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return diags.error(path, {}, "is a directory", {}, "a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) return diags.error(path, {}, std::string("cannot be read: ") + std::strerror(errno ? errno : EIO));
  return std::move(text).str();
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

OutputSet::~OutputSet() {
  for (const Pending& p : pending_) ::unlink(p.temporary.c_str());
}

Result<void> OutputSet::add(const std::string& path, std::string_view text) {
  return add(path, [text](int fd) { return write_all(fd, std::as_bytes(std::span(text))); });
}

Result<void> OutputSet::add(const std::string& path, const std::function<bool(int fd)>& write) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return diags_.error(path, {}, std::string("cannot be written: ") + std::strerror(errno));
  pending_.push_back({path, temporary});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  errno = 0;
  bool ok = write(fd) && ::fchmod(fd, 0666 & ~mask) == 0;
  int reason = errno;
  if (::close(fd) != 0 && ok) {
    ok = false;
    reason = errno;
  }
  if (!ok) return diags_.error(path, {}, std::string("cannot be written: ") + std::strerror(reason ? reason : EIO));
  return {};
}

Result<void> OutputSet::add_made(const std::string& path,
                                 const std::function<Result<void>(const std::string& temporary)>& make) {
  if (!add(path, std::string_view())) return failure;
  const std::string temporary = pending_.back().temporary;
  std::error_code error;
  const auto mode = std::filesystem::status(temporary, error).permissions();
  if (!make(temporary)) return failure;
  std::filesystem::permissions(temporary, mode, error);
  if (error) return diags_.error(path, {}, "cannot be written: " + error.message());
  return {};
}

Result<void> OutputSet::commit() {
  // What would make a rename fail is looked for before the first one is made.
  std::error_code error;
  for (const Pending& p : pending_)
    if (std::filesystem::is_directory(p.path, error))
      return diags_.error(p.path, {}, "cannot be written", "a directory", "a file or nothing");
  for (Pending& p : pending_) {
    if (::rename(p.temporary.c_str(), p.path.c_str()) != 0)
      return diags_.error(p.path, {}, std::string("cannot be written: ") + std::strerror(errno));
  }
  pending_.clear();
  return {};
}

Result<TemporaryDirectory> TemporaryDirectory::create(Diagnostics& diags) {
  const char* base = std::getenv("TMPDIR");
  std::string path = std::string(base && *base ? base : "/tmp") + "/byoc.XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return diags.error(path, {}, std::string("cannot be created: ") + std::strerror(errno));
  return TemporaryDirectory(path);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace byoc
