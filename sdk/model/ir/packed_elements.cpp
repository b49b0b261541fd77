#include "sdk/model/ir/packed_elements.hpp"

namespace byoc::ir {

std::vector<unsigned> unpack(std::span<const std::byte> bytes, unsigned bits, std::size_t count) {
  std::vector<unsigned> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * bits;
    out[i] = std::to_integer<unsigned>(bytes[at / 8]) >> at % 8 & ((1u << bits) - 1);
  }
  return out;
}

std::vector<std::byte> pack(std::span<const unsigned> codes, unsigned bits) {
  std::vector<std::byte> out((codes.size() * bits + 7) / 8);
  for (std::size_t i = 0; i < codes.size(); ++i) out[i * bits / 8] |= static_cast<std::byte>(codes[i] << i * bits % 8);
  return out;
}

}  // namespace byoc::ir
