// Tar archives, written front to back in the POSIX ustar format with pax records where a name or a size needs one.
//
// Everything that is not content is a constant, so the same entries give the same bytes: owner root:root (0:0), modes
// 0644 and 0755, one time for all. Contents are streamed; memory does not depend on their size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace byoc {

class TarWriter {
 public:
  // Appends at the position of `fd`. `time` is in seconds since 1970, not negative.
  TarWriter(int fd, std::uint64_t time) : fd_(fd), time_(time) {}

  // `path` as it is, "./codegen/host". False with errno set, as all of these.
  [[nodiscard]] bool add_folder(const std::string& path);
  [[nodiscard]] bool add_text(const std::string& path, std::string_view text);
  // `write` appends exactly `size` bytes to the descriptor it is given.
  [[nodiscard]] bool add(const std::string& path, std::uint64_t size, const std::function<bool(int fd)>& write);
  // Writes the end of the archive. Nothing may be added after it.
  [[nodiscard]] bool finish();

 private:
  bool put_header(const std::string& path, std::uint64_t size, char type);
  bool put_pax(const std::string& path, std::uint64_t size);
  bool put_block(const std::string& path, std::uint64_t size, char type);
  bool pad(std::uint64_t size);

  int fd_;
  std::uint64_t time_;
  std::uint64_t written_ = 0;
};

}  // namespace byoc
