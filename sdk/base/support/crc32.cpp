#include "sdk/base/support/crc32.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace byoc {
namespace {

static_assert(std::endian::native == std::endian::little, "four bytes are read as one number");

using Table = std::array<std::uint32_t, 256>;

// tables[k][b] is the remainder of the byte b with k zero bytes behind it, so that eight bytes are one step (M. E.
// Kounavis and F. L. Berry, "A Systematic Approach to Building High Performance Software-based CRC Generators", 2005).
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> out{};
  for (std::uint32_t n = 0; n < 256; ++n) {
    out[0][n] = n;
    for (int bit = 0; bit < 8; ++bit) out[0][n] = (out[0][n] >> 1) ^ ((out[0][n] & 1) != 0 ? 0xedb88320U : 0U);
  }
  for (std::size_t k = 1; k < out.size(); ++k)
    for (std::uint32_t n = 0; n < 256; ++n) out[k][n] = out[0][out[k - 1][n] & 0xff] ^ (out[k - 1][n] >> 8);
  return out;
}

constexpr std::array<Table, 8> kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::array<std::uint32_t, 2> w;
    std::memcpy(w.data(), bytes.data(), sizeof w);
    w[0] ^= crc;
    crc = kTables[7][w[0] & 0xff] ^ kTables[6][w[0] >> 8 & 0xff] ^ kTables[5][w[0] >> 16 & 0xff] ^
          kTables[4][w[0] >> 24] ^ kTables[3][w[1] & 0xff] ^ kTables[2][w[1] >> 8 & 0xff] ^
          kTables[1][w[1] >> 16 & 0xff] ^ kTables[0][w[1] >> 24];
  }
  for (const std::byte b : bytes) crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(b)) & 0xff];
  return ~crc;
}

}  // namespace byoc
