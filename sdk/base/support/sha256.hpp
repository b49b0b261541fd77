// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104). Here because the server has to build for boards with nothing but a
// C++ compiler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace byoc {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text) { update(std::as_bytes(std::span(text))); }
  // Once, at the end.
  [[nodiscard]] Digest finish();

 private:
  void block(const std::byte* at);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_{};
  std::uint64_t size_ = 0;  // bytes so far
};

[[nodiscard]] Digest sha256(std::span<const std::byte> bytes);
[[nodiscard]] Digest hmac_sha256(std::string_view key, std::string_view message);
// Takes the same time wherever they differ.
[[nodiscard]] bool same_digest(std::string_view a, std::string_view b);
// Two digits a byte, in lower case.
[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] inline std::string_view text_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace byoc
