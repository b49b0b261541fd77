#include "sdk/library/object/file_hash.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "sdk/base/support/file.hpp"

namespace byoc {
namespace {

TEST(FileHash, IsSha256) {
  Diagnostics diags;
  auto folder = TemporaryDirectory::create(diags);
  ASSERT_TRUE(folder);
  const std::string path = folder->path() + "/x";
  const auto of = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return sha256_of_file(path);
  };
  // FIPS 180-2, appendix B.1 and B.3; the empty message.
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of_file(folder->path() + "/none"), "");
  EXPECT_EQ(sha256_of_file(folder->path()), "");
}

}  // namespace
}  // namespace byoc
