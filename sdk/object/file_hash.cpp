#include "sdk/object/file_hash.hpp"

#include <fcntl.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace byoc {

struct Sha256::State {
  llvm::SHA256 hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  state_->hash.update(llvm::ArrayRef<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

std::array<std::uint8_t, 32> Sha256::finish() { return state_->hash.final(); }

std::string sha256_of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::vector<std::uint8_t> buffer(std::size_t{1} << 18);
  llvm::SHA256 hash;
  ssize_t got = 0;
  do {
    got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) hash.update(llvm::ArrayRef<std::uint8_t>(buffer.data(), static_cast<std::size_t>(got)));
  } while (got > 0 || (got < 0 && errno == EINTR));
  ::close(fd);
  return got == 0 ? llvm::toHex(hash.final(), /*LowerCase=*/true) : std::string();
}

}  // namespace byoc
