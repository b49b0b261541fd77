// Content identity: length and XXH3-128. Two contents of one identity are compared before they are merged.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace byoc {

struct Identity {
  std::uint64_t size = 0;
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Identity&) const = default;
};

[[nodiscard]] Identity identify(std::span<const std::byte> bytes);

// Computes an identity piece by piece, for contents that are read in bounded buffers.
class Identifier {
 public:
  Identifier();
  ~Identifier();
  Identifier(const Identifier&) = delete;
  Identifier& operator=(const Identifier&) = delete;
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] Identity finish() const;

 private:
  void* state_;
  std::uint64_t size_ = 0;
};

// 32 hexadecimal digits of the hash.
[[nodiscard]] std::string to_hex(const Identity&);

}  // namespace byoc
