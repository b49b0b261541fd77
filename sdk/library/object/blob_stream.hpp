// Reading and copying blobs in bounded buffers. A blob that is mapped from a file is read with pread, so that its pages
// never become resident memory of this process; one that is arranged is made piece by piece. (copy_file_range takes
// longer than reading and writing on ext4.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/identity.hpp"

namespace byoc {

inline constexpr std::size_t kStreamBuffer = std::size_t{1} << 20;  // bytes

// Calls `piece` with consecutive parts of at most kStreamBuffer bytes. False with errno set when the file cannot be
// read; false as well, with errno as it was, when `piece` returns false.
[[nodiscard]] bool read_pieces(const Blob&, const std::function<bool(std::span<const std::byte>)>& piece);

// Appends the blob at the position of `fd`. False with errno set.
[[nodiscard]] bool write_blob(int fd, const Blob&);

// Writes the bytes and computes their identity. They are read once for both; a large blob is identified by a second
// thread, if there is a core.
[[nodiscard]] bool write_and_identify_blob(int fd, const Blob&, Identity& out);

// Appends `count` zero bytes. False with errno set.
[[nodiscard]] bool write_zeros(int fd, std::uint64_t count);

// The first buffer.size() bytes, a multiple of 8 and no more than there are. False with errno set.
[[nodiscard]] bool read_start(const Blob&, std::span<std::byte> buffer);

// True if the bytes are known to be equal without reading them.
[[nodiscard]] bool is_same(const Blob& a, const Blob& b);

// False with errno set when a blob cannot be read.
[[nodiscard]] bool identify_blob(const Blob&, Identity& out);
[[nodiscard]] bool compare_blobs(const Blob& a, const Blob& b, bool& equal);

}  // namespace byoc
