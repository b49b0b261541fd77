#include "sdk/library/object/blob_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <semaphore>
#include <thread>
#include <vector>

#include "sdk/base/support/cores.hpp"
#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

constexpr std::size_t kBesideFrom = 16 * kStreamBuffer;  // bytes that are worth a thread

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

// Bytes from `at` on; of an arranged blob whole elements.
bool read_at(const Blob& blob, std::uint64_t at, std::span<std::byte> buffer) {
  if (const codegen::Arrangement* how = blob.arrangement()) {
    codegen::Arranger(*how).write(blob.arranged_source().bytes(), at / how->element_size, buffer);
    return true;
  }
  if (blob.file() != nullptr) return pread_all(blob.file()->fd(), buffer, blob.file_offset() + at);
  std::ranges::copy(blob.bytes().subspan(at, buffer.size()), buffer.begin());
  return true;
}

bool in_memory(const Blob& blob) { return blob.file() == nullptr && blob.arrangement() == nullptr; }

// A piece of an arranged blob stays in the second-level cache until somebody has read it.
std::size_t piece_size(const Blob& blob) { return blob.arrangement() == nullptr ? kStreamBuffer : kStreamBuffer / 4; }

// As read_pieces(); a piece stays in `buffer` until `count` - 1 more pieces were handed over.
bool read_pieces_into(std::vector<std::byte>& buffer, std::size_t count, const Blob& blob,
                      const std::function<bool(std::span<const std::byte>)>& piece) {
  const std::size_t most = std::min(piece_size(blob), blob.size());
  if (!in_memory(blob)) buffer.resize(count * most);
  std::size_t which = 0;
  for (std::size_t at = 0; at < blob.size(); at += most, which = (which + 1) % count) {
    const std::size_t size = std::min(most, blob.size() - at);
    if (in_memory(blob)) {
      if (!piece(blob.bytes().subspan(at, size))) return false;
      continue;
    }
    const std::span part(buffer.data() + which * most, size);
    if (!read_at(blob, at, part) || !piece(part)) return false;
  }
  return true;
}

// Identifies pieces on another core, each while the caller does something else with it.
class IdentifierBeside {
 public:
  explicit IdentifierBeside(Identifier& identifier) : identifier_(identifier), worker_([this] { work(); }) {}
  ~IdentifierBeside() {
    wait();
    piece_ = {};
    given_.release();
  }
  IdentifierBeside(const IdentifierBeside&) = delete;
  IdentifierBeside& operator=(const IdentifierBeside&) = delete;

  // Once the piece before is done. `piece` is not empty.
  void update(std::span<const std::byte> piece) {
    wait();
    piece_ = piece;
    done_ = false;
    given_.release();
  }

 private:
  void wait() {
    if (!done_) taken_.acquire();
    done_ = true;
  }
  void work() {
    for (;;) {
      given_.acquire();
      if (piece_.empty()) return;
      identifier_.update(piece_);
      taken_.release();
    }
  }

  Identifier& identifier_;
  std::span<const std::byte> piece_;
  bool done_ = true;  // the caller's
  std::binary_semaphore given_{0}, taken_{0};
  std::jthread worker_;
};

}  // namespace

bool read_pieces(const Blob& blob, const std::function<bool(std::span<const std::byte>)>& piece) {
  std::vector<std::byte> buffer;
  return read_pieces_into(buffer, 1, blob, piece);
}

bool write_blob(int fd, const Blob& blob) {
  return read_pieces(blob, [fd](std::span<const std::byte> part) { return write_all(fd, part); });
}

bool write_and_identify_blob(int fd, const Blob& blob, Identity& out) {
  Identifier identifier;
  bool ok = false;
  if (blob.size() < kBesideFrom || usable_cores() < 2) {
    ok = read_pieces(blob, [&](std::span<const std::byte> part) {
      identifier.update(part);
      return write_all(fd, part);
    });
  } else {
    std::vector<std::byte> buffer;
    IdentifierBeside beside(identifier);
    ok = read_pieces_into(buffer, 2, blob, [&](std::span<const std::byte> part) {
      beside.update(part);
      return write_all(fd, part);
    });
  }
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

bool read_start(const Blob& blob, std::span<std::byte> buffer) { return read_at(blob, 0, buffer); }

bool identify_blob(const Blob& blob, Identity& out) {
  Identifier identifier;
  const bool ok = read_pieces(blob, [&](std::span<const std::byte> part) {
    identifier.update(part);
    return true;
  });
  out = identifier.finish();
  return ok;
}

bool is_same(const Blob& a, const Blob& b) {
  if (a.size() != b.size()) return false;
  if (a.arrangement() == nullptr || b.arrangement() == nullptr)
    return a.arrangement() == b.arrangement() && a.data() == b.data();
  return *a.arrangement() == *b.arrangement() && is_same(a.arranged_source(), b.arranged_source());
}

bool compare_blobs(const Blob& a, const Blob& b, bool& equal) {
  equal = a.size() == b.size();
  if (!equal || is_same(a, b)) return true;
  std::vector<std::byte> other;
  std::uint64_t at = 0;
  bool readable = true;
  const bool done = read_pieces(a, [&](std::span<const std::byte> part) {
    std::span<const std::byte> theirs;
    if (in_memory(b)) {
      theirs = b.bytes().subspan(static_cast<std::size_t>(at), part.size());
    } else {
      other.resize(part.size());
      readable = read_at(b, at, other);
      theirs = other;
    }
    at += part.size();
    equal = readable && std::memcmp(part.data(), theirs.data(), part.size()) == 0;
    return equal;
  });
  return readable && (done || !equal);
}

}  // namespace byoc
