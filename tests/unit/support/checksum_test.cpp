// Hashes and checksums by their published vectors.
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "sdk/base/support/crc32.hpp"
#include "sdk/base/support/sha256.hpp"

namespace byoc {
namespace {

std::string hex_of(std::string_view text) { return to_hex(sha256(std::as_bytes(std::span(text)))); }

TEST(Sha256, VectorsOfTheStandard) {
  EXPECT_EQ(hex_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesOfAnySizeGiveTheSame) {
  const std::string text(200, 'x');
  for (std::size_t piece = 1; piece < 130; ++piece) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) hash.update(std::string_view(text).substr(at, piece));
    EXPECT_EQ(to_hex(hash.finish()), hex_of(text)) << piece;
  }
}

// RFC 4231, cases 1, 2 and 6.
TEST(Hmac, VectorsOfTheStandard) {
  EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

std::uint32_t crc_of(std::string_view text) { return crc32(std::as_bytes(std::span(text))); }

TEST(Crc32, VectorsOfZlib) {
  EXPECT_EQ(crc_of(""), 0u);
  EXPECT_EQ(crc_of("123456789"), 0xcbf43926u);
  EXPECT_EQ(crc_of(std::string(1000, 'a')), 0x9a38da03u);
}

TEST(Crc32, PiecesOfAnySizeGiveTheSame) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    std::uint32_t crc = 0;
    for (std::size_t at = 0; at < text.size(); at += piece)
      crc = crc32(std::as_bytes(std::span(std::string_view(text).substr(at, piece))), crc);
    EXPECT_EQ(crc, crc_of(text)) << piece;
  }
}

}  // namespace
}  // namespace byoc
