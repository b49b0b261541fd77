// Blobs that are made while they are read.
#include "sdk/library/object/blob_stream.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "sdk/base/support/blob.hpp"
#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

using codegen::Arrangement;

std::vector<std::byte> numbers(std::size_t size) {
  std::vector<std::byte> out(size);
  std::uint32_t state = 1;
  for (std::byte& b : out) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return out;
}

TEST(BlobStream, ArrangedOnesAreMadeInPieces) {
  // Larger than a piece, transposed, with an end that is filled up.
  const std::vector<std::byte> source = numbers(std::size_t{1000} * 700 * 4);
  const Arrangement a{.element_size = 4, .axes = {{1000, 700}, {700, 1}}, .loops = {{703, 1, 1}, {1000, 0, 1}}};
  const Blob blob = Blob::arrange(Blob::view(source, nullptr), a);
  ASSERT_EQ(blob.size(), 703u * 1000 * 4);
  std::vector<std::byte> pieces;
  ASSERT_TRUE(read_pieces(blob, [&](std::span<const std::byte> part) {
    pieces.insert(pieces.end(), part.begin(), part.end());
    return true;
  }));
  std::vector<std::byte> expected(blob.size());
  for (std::size_t column = 0; column < 700; ++column)
    for (std::size_t row = 0; row < 1000; ++row)
      for (std::size_t b = 0; b < 4; ++b)
        expected[(column * 1000 + row) * 4 + b] = source[(row * 700 + column) * 4 + b];
  EXPECT_EQ(pieces, expected);
  EXPECT_TRUE(std::ranges::equal(blob.bytes(), pieces));
  EXPECT_TRUE(std::ranges::equal(blob.slice(4, 12).bytes(), std::span(pieces).subspan(4, 12)));
  // Comparison makes pieces of both.
  bool equal = false;
  ASSERT_TRUE(compare_blobs(blob, Blob::view(pieces, nullptr), equal));
  EXPECT_TRUE(equal);
  Arrangement other = a;
  other.offset = 1;
  other.axes[0].extent = 999;
  ASSERT_TRUE(compare_blobs(blob, Blob::arrange(Blob::view(source, nullptr), other), equal));
  EXPECT_FALSE(equal);
  EXPECT_TRUE(is_same(blob, Blob::arrange(Blob::view(source, nullptr), a)));
  EXPECT_FALSE(is_same(blob, Blob::arrange(Blob::view(source, nullptr), other)));
}

// Of a file that is larger than what one thread does; what was read last is still identified when the file is written.
TEST(BlobStream, LargeOnesAreIdentifiedBeside) {
  const std::string folder = ::testing::TempDir();
  const std::vector<std::byte> all = numbers((std::size_t{40} << 20) + 12345);
  const std::string from = folder + "/blob_stream_from", to = folder + "/blob_stream_to";
  const auto written = [](const std::string& path) { return ::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR, 0600); };
  const int source = written(from);
  ASSERT_TRUE(write_all(source, all));
  ::close(source);
  Diagnostics diags;
  auto mapped = MappedFile::open(from, diags);
  ASSERT_TRUE(mapped);
  for (const Blob& blob : {Blob::map(*mapped, 0, all.size()), Blob::view(all, nullptr)}) {
    const int fd = written(to);
    Identity identity;
    ASSERT_TRUE(write_and_identify_blob(fd, blob, identity));
    EXPECT_EQ(identity, identify(all));
    std::vector<std::byte> found(all.size() + 1);
    ASSERT_EQ(::pread(fd, found.data(), found.size(), 0), static_cast<ssize_t>(all.size()));
    found.pop_back();
    EXPECT_TRUE(found == all);
    ::close(fd);
  }
  // What cannot be written is an error, whatever the other thread is at.
  const int closed = ::open(to.c_str(), O_RDONLY);
  Identity identity;
  EXPECT_FALSE(write_and_identify_blob(closed, Blob::map(*mapped, 0, all.size()), identity));
  ::close(closed);
  ::unlink(from.c_str());
  ::unlink(to.c_str());
}

}  // namespace
}  // namespace byoc
