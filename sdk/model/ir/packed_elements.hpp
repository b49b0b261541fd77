// Elements of fewer than 8 bits as they are stored: several to a byte, the first in its lowest bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace byoc::ir {

// The bits of `count` elements, which the bytes have. `bits`: 8, 4 or 2.
[[nodiscard]] std::vector<unsigned> unpack(std::span<const std::byte> bytes, unsigned bits, std::size_t count);
// The other way: of codes below 2^bits. The last byte is filled up with zeros.
[[nodiscard]] std::vector<std::byte> pack(std::span<const unsigned> codes, unsigned bits);

}  // namespace byoc::ir
