#include "sdk/library/compile/cache_entry.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>

#include "sdk/base/support/file.hpp"
#include "sdk/base/support/leftovers.hpp"

namespace byoc::compile {
namespace {

constexpr off_t kMostBytes = off_t{1} << 30;  // of an entry that byoc wrote

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

int open_part(const std::string& folder, const std::string& part) {
  return ::open((folder + "/" + part).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool read_all(int fd, std::string& to) {
  for (std::size_t at = 0; at < to.size();) {
    const ssize_t n = ::pread(fd, to.data() + at, to.size() - at, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<std::size_t>(n);
  }
  return true;
}

// Not to be guessed: a name that somebody has taken already is no entry, and O_EXCL does not follow it.
std::string temporary_name() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) number = static_cast<std::uint64_t>(::getpid());
  return ".byoc." + std::to_string(number);
}

}  // namespace

CacheFile read_cache_file(const std::string& folder, const std::string& part, const std::string& name) {
  CacheFile out;
  const Descriptor at(open_part(folder, part));
  struct stat status{};
  if (at.fd() < 0 || ::fstatat(at.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return out;
  out.is_there = true;
  if (!S_ISREG(status.st_mode)) return out;
  const Descriptor file(::openat(at.fd(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMostBytes)
    return out;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_all(file.fd(), bytes)) return out;
  (void)::futimens(file.fd(), nullptr);
  out.bytes = std::move(bytes);
  return out;
}

void write_cache_file(const std::string& folder, const std::string& part, const std::string& name,
                      std::string_view bytes) {
  (void)::mkdir((folder + "/" + part).c_str(), S_IRWXU | S_IRWXG | S_IRWXO);
  const Descriptor at(open_part(folder, part));
  if (at.fd() < 0) return;
  const std::string temporary = temporary_name();
  Leftover leftover(folder + "/" + part + "/" + temporary);
  const Descriptor file(::openat(at.fd(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH));
  if (file.fd() < 0) return;
  if (!write_all(file.fd(), std::as_bytes(std::span(bytes))) ||
      ::renameat(at.fd(), temporary.c_str(), at.fd(), name.c_str()) != 0)
    (void)::unlinkat(at.fd(), temporary.c_str(), 0);
  leftover.forget();
}

}  // namespace byoc::compile
