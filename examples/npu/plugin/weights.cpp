#include "weights.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "npu_isa.h"

namespace npu {
namespace {

using Block = std::span<const std::int8_t>;
using Bytes = std::vector<std::byte>;

std::byte byte(unsigned v) { return static_cast<std::byte>(v); }
std::byte byte(std::int8_t v) { return static_cast<std::byte>(v); }

template <class F>
void put_fields(Bytes& out, Block block, unsigned bits, F&& field) {
  unsigned pending = 0;
  unsigned filled = 0;
  for (const std::int8_t w : block) {
    pending |= field(w) << filled;
    for (filled += bits; filled >= 8; filled -= 8, pending >>= 8) out.push_back(byte(pending & 0xff));
  }
  if (filled != 0) out.push_back(byte(pending & 0xff));
}

unsigned bits_for(std::size_t values) { return static_cast<unsigned>(std::bit_width(values - 1)); }

Bytes as_raw(Block block) {
  Bytes out{byte(NPU_RAW)};
  for (const std::int8_t w : block) out.push_back(byte(w));
  return out;
}

Bytes as_range(Block block) {
  const auto [low, high] = std::minmax_element(block.begin(), block.end());
  const unsigned bits = bits_for(static_cast<std::size_t>(*high - *low + 1));
  if (bits > 7) return {};
  Bytes out{byte(NPU_RANGE | bits), byte(*low)};
  put_fields(out, block, bits, [base = *low](std::int8_t w) { return static_cast<unsigned>(w - base); });
  return out;
}

Bytes as_sparse(Block block) {
  Bytes out{byte(NPU_SPARSE)};
  put_fields(out, block, 1, [](std::int8_t w) { return w != 0 ? 1u : 0u; });
  for (const std::int8_t w : block)
    if (w != 0) out.push_back(byte(w));
  return out;
}

Bytes as_palette(Block block) {
  std::vector<std::int8_t> values(block.begin(), block.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const unsigned bits = std::max(bits_for(values.size()), 1u);
  if (bits > 3) return {};
  Bytes out{byte(NPU_PALETTE | bits)};
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) out.push_back(byte(values[std::min(i, values.size() - 1)]));
  put_fields(out, block, bits, [&](std::int8_t w) {
    return static_cast<unsigned>(std::lower_bound(values.begin(), values.end(), w) - values.begin());
  });
  return out;
}

// 0, -1, 1, -2 ... numbered from 0.
unsigned number_of(std::int8_t w) { return w >= 0 ? 2u * static_cast<unsigned>(w) : static_cast<unsigned>(-2 * w - 1); }

Bytes as_rice(Block block) {
  constexpr unsigned kMost = 7;
  unsigned best = 0;
  std::size_t least = SIZE_MAX;
  for (unsigned n = 0; n <= kMost; ++n) {
    std::size_t bits = 0;
    for (const std::int8_t w : block) bits += (number_of(w) >> n) + 1 + n;
    if (bits < least) {
      least = bits;
      best = n;
    }
  }
  Bytes out{byte(NPU_RICE | best)};
  unsigned filled = 8;
  const auto put_bit = [&](unsigned bit) {
    if (filled == 8) {
      out.push_back(byte(0u));
      filled = 0;
    }
    out.back() |= byte(bit << filled++);
  };
  for (const std::int8_t w : block) {
    for (unsigned i = 0; i < number_of(w) >> best; ++i) put_bit(1);
    put_bit(0);
    for (unsigned i = 0; i < best; ++i) put_bit(number_of(w) >> i & 1);
  }
  return out;
}

}  // namespace

void pack(std::span<const std::int8_t> weights, std::vector<std::byte>& out) {
  for (std::size_t first = 0; first < weights.size(); first += NPU_BLOCK) {
    const Block block = weights.subspan(first, std::min<std::size_t>(NPU_BLOCK, weights.size() - first));
    Bytes best = as_raw(block);
    for (const Bytes& way : {as_range(block), as_sparse(block), as_palette(block), as_rice(block)})
      if (!way.empty() && way.size() < best.size()) best = way;
    out.insert(out.end(), best.begin(), best.end());
  }
}

}  // namespace npu
