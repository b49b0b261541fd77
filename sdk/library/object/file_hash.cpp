#include "sdk/library/object/file_hash.hpp"

#include <fcntl.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA1.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <vector>

#include "sdk/base/support/sha256.hpp"

namespace byoc {
namespace {

using Piece = std::span<const std::byte>;

llvm::ArrayRef<std::uint8_t> to_llvm(Piece bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// True if the file was read to its end.
template <class Update>
bool read_all(const std::string& path, const Update& update) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::vector<std::byte> buffer(std::size_t{1} << 18);
  ssize_t got = 0;
  do {
    got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) update(Piece(buffer).first(static_cast<std::size_t>(got)));
  } while (got > 0 || (got < 0 && errno == EINTR));
  ::close(fd);
  return got == 0;
}

std::string digits(llvm::SHA1& hash) { return llvm::toHex(hash.final(), /*LowerCase=*/true); }

}  // namespace

std::string sha256_of_file(const std::string& path) {
  Sha256 hash;
  return read_all(path, [&](Piece piece) { hash.update(piece); }) ? to_hex(hash.finish()) : std::string();
}

FileHashes hashes_of_file(const std::string& path) {
  llvm::SHA1 sha1;
  Sha256 sha256;
  const auto update = [&](Piece piece) {
    sha1.update(to_llvm(piece));
    sha256.update(piece);
  };
  if (!read_all(path, update)) return {};
  return {digits(sha1), to_hex(sha256.finish())};
}

std::string sha1_of(std::string_view text) {
  llvm::SHA1 hash;
  hash.update(to_llvm(std::as_bytes(std::span(text))));
  return digits(hash);
}

std::string sha256_of(std::string_view text) { return to_hex(sha256(std::as_bytes(std::span(text)))); }

}  // namespace byoc
