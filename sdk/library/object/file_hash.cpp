#include "sdk/library/object/file_hash.hpp"

#include <fcntl.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA1.h>
#include <llvm/Support/SHA256.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace byoc {
namespace {

using Bytes = llvm::ArrayRef<std::uint8_t>;

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

// True if the file was read to its end.
template <class Update>
bool read_all(const std::string& path, const Update& update) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::vector<std::uint8_t> buffer(std::size_t{1} << 18);
  ssize_t got = 0;
  do {
    got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) update(Bytes(buffer.data(), static_cast<std::size_t>(got)));
  } while (got > 0 || (got < 0 && errno == EINTR));
  ::close(fd);
  return got == 0;
}

template <class Hash>
std::string digits(Hash& hash) {
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

}  // namespace

struct Sha256::State {
  llvm::SHA256 hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  state_->hash.update(Bytes(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

std::array<std::uint8_t, 32> Sha256::finish() { return state_->hash.final(); }

std::string sha256_of_file(const std::string& path) {
  llvm::SHA256 hash;
  return read_all(path, [&](Bytes piece) { hash.update(piece); }) ? digits(hash) : std::string();
}

FileHashes hashes_of_file(const std::string& path) {
  llvm::SHA1 sha1;
  llvm::SHA256 sha256;
  const auto update = [&](Bytes piece) {
    sha1.update(piece);
    sha256.update(piece);
  };
  if (!read_all(path, update)) return {};
  return {digits(sha1), digits(sha256)};
}

std::string sha1_of(std::string_view text) {
  llvm::SHA1 hash;
  hash.update(bytes_of(text));
  return digits(hash);
}

std::string sha256_of(std::string_view text) {
  llvm::SHA256 hash;
  hash.update(bytes_of(text));
  return digits(hash);
}

}  // namespace byoc
