#include "sdk/object/blob_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "sdk/support/file.hpp"

namespace byoc {
namespace {

// Exactly `buffer.size()` bytes from `offset`; a file that became shorter is an error.
bool pread_all(int fd, std::span<std::byte> buffer, std::uint64_t offset) {
  while (!buffer.empty()) {
    const ssize_t n = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    buffer = buffer.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

}  // namespace

bool read_pieces(const Blob& blob, const std::function<bool(std::span<const std::byte>)>& piece) {
  if (blob.file() == nullptr) {
    for (std::size_t at = 0; at < blob.size(); at += kStreamBuffer)
      if (!piece(blob.bytes().subspan(at, std::min(kStreamBuffer, blob.size() - at)))) return false;
    return true;
  }
  std::vector<std::byte> buffer(std::min(kStreamBuffer, blob.size()));
  for (std::uint64_t at = 0; at < blob.size(); at += buffer.size()) {
    const std::span part(buffer.data(),
                         static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), blob.size() - at)));
    if (!pread_all(blob.file()->fd(), part, blob.file_offset() + at) || !piece(part)) return false;
  }
  return true;
}

bool write_blob(int fd, const Blob& blob) {
  return read_pieces(blob, [fd](std::span<const std::byte> part) { return write_all(fd, part); });
}

bool write_and_identify_blob(int fd, const Blob& blob, Identity& out) {
  Identifier identifier;
  const bool ok = read_pieces(blob, [&](std::span<const std::byte> part) {
    identifier.update(part);
    return write_all(fd, part);
  });
  out = identifier.finish();
  return ok;
}

bool write_zeros(int fd, std::uint64_t count) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  while (count > 0) {
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(count, kZeros.size()));
    if (!write_all(fd, std::span(kZeros).first(n))) return false;
    count -= n;
  }
  return true;
}

bool identify_blob(const Blob& blob, Identity& out) {
  Identifier identifier;
  const bool ok = read_pieces(blob, [&](std::span<const std::byte> part) {
    identifier.update(part);
    return true;
  });
  out = identifier.finish();
  return ok;
}

bool compare_blobs(const Blob& a, const Blob& b, bool& equal) {
  equal = a.size() == b.size();
  if (!equal || (a.data() == b.data())) return true;
  std::vector<std::byte> other;
  std::uint64_t at = 0;
  bool readable = true;
  const bool done = read_pieces(a, [&](std::span<const std::byte> part) {
    std::span<const std::byte> theirs = b.bytes().subspan(static_cast<std::size_t>(at), part.size());
    if (b.file() != nullptr) {
      other.resize(part.size());
      readable = pread_all(b.file()->fd(), other, b.file_offset() + at);
      theirs = other;
    }
    at += part.size();
    equal = readable && std::memcmp(part.data(), theirs.data(), part.size()) == 0;
    return equal;
  });
  return readable && (done || !equal);
}

}  // namespace byoc
