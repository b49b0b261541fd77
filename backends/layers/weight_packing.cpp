#include "backends/layers/weight_packing.hpp"

#include <cstdlib>
#include <utility>

namespace byoc::layers {
namespace {

// Two's complement of `bits` bits, which x fits in.
std::uint32_t low_bits(std::int8_t x, unsigned bits) { return static_cast<std::uint32_t>(x) & ((1U << bits) - 1); }

// 0 where there is none.
int weight_at(const WeightRows& w, std::int64_t group, std::int64_t channel, std::int64_t k) {
  if (channel >= w.channels || k >= w.depth) return 0;
  return w.rows[static_cast<std::size_t>((group * w.channels + channel) * w.depth + k)];
}

// A word's bytes, the lowest first.
void push_word(std::vector<std::int8_t>& out, std::uint32_t word) {
  for (unsigned i = 0; i < 32; i += 8) out.push_back(static_cast<std::int8_t>(word >> i & 255U));
}

}  // namespace

std::vector<std::int8_t> pack_weights(const WeightRows& w, std::int64_t block, std::int64_t step) {
  const std::int64_t blocks = (w.channels + block - 1) / block, steps = (w.depth + step - 1) / step;
  std::vector<std::int8_t> out(static_cast<std::size_t>(w.groups * blocks * steps * block * step));
  for (std::int64_t g = 0; g < w.groups; ++g)
    for (std::int64_t c = 0; c < w.channels; ++c)
      for (std::int64_t k = 0; k < w.depth; ++k) {
        const std::int64_t to = (((g * blocks + c / block) * steps + k / step) * block + c % block) * step + k % step;
        out[static_cast<std::size_t>(to)] = w.rows[static_cast<std::size_t>((g * w.channels + c) * w.depth + k)];
      }
  return out;
}

std::vector<std::int8_t> pack_fours(const WeightRows& w) {
  std::vector<std::int8_t> out = pack_weights(w, 1, 4);
  for (std::size_t i = 0; i < out.size(); i += 4) std::swap(out[i + 1], out[i + 2]);
  return out;
}

std::vector<std::int8_t> pack_unit_eights(const WeightRows& w, std::int64_t multiple) {
  const std::int64_t blocks = (w.depth + 15) / 16;
  std::vector<std::int8_t> out;
  out.reserve(static_cast<std::size_t>(w.channels * blocks * 16));
  for (std::int64_t first = 0, count = 0; first < w.channels; first += count) {
    count = w.channels - first >= 8 ? 8 : 1;
    for (std::int64_t i = 0; i < blocks; ++i) {
      const std::int64_t block = (i + blocks - 1) % blocks;
      for (std::int64_t unit = first; unit < first + count; ++unit)
        for (std::int64_t k = 16 * block; k < 16 * block + 16; ++k)
          out.push_back(k < w.depth ? w.rows[static_cast<std::size_t>(unit * w.depth + k)] : std::int8_t{0});
    }
    const std::int64_t missing = (multiple - blocks % multiple) % multiple;
    if (count == 1) out.insert(out.end(), static_cast<std::size_t>(16 * missing), std::int8_t{0});
  }
  return out;
}

std::vector<std::int8_t> pack_twins(const WeightRows& w) {
  const std::int64_t fours = (w.channels + 3) / 4, steps = (w.depth + 3) / 4;
  std::vector<std::int8_t> out;
  out.reserve(static_cast<std::size_t>(w.groups * fours * steps * 16));
  for (std::int64_t four = 0; four < w.groups * fours; ++four)
    for (std::int64_t step = 0; step < steps; ++step)
      for (const std::int64_t first : {0, 1})
        for (const std::int64_t pair : {0, 2})
          for (const std::int64_t k : {4 * step + first, 4 * step + first + 2}) {
            const std::int64_t group = four / fours, channel = four % fours * 4 + pair;
            const int half = 256 * weight_at(w, group, channel + 1, k) + weight_at(w, group, channel, k);
            out.push_back(static_cast<std::int8_t>(half & 255));
            out.push_back(static_cast<std::int8_t>(half >> 8));
          }
  return out;
}

bool fits_twins(const WeightRows& w) {
  for (std::int64_t g = 0; g < w.groups; ++g)
    for (std::int64_t c = 1; c < w.channels; c += 2) {
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < w.depth; ++k) {
        const int x = weight_at(w, g, c, k);
        if (x == -128 && weight_at(w, g, c - 1, k) < 0) return false;
        sum += std::abs(x);
      }
      if (128 * sum >= 1 << 23) return false;
    }
  return true;
}

std::vector<std::int8_t> pack_unit_pairs(const WeightRows& w) {
  const std::int64_t fours = (w.channels + 3) / 4, steps = (w.depth + 3) / 4;
  std::vector<std::int8_t> out;
  out.reserve(static_cast<std::size_t>(fours * steps * 16));
  const auto weight = [&](std::int64_t unit, std::int64_t k) {
    return unit < w.channels && k < w.depth ? w.rows[static_cast<std::size_t>(unit * w.depth + k)] : std::int8_t{0};
  };
  for (std::int64_t four = 0; four < fours; ++four)
    for (std::int64_t step = 0; step < steps; ++step)
      for (const std::int64_t pair : {0, 2})
        for (const std::int64_t k : {0, 2, 1, 3})
          for (const std::int64_t unit : {0, 1}) {
            const std::int8_t x = weight(4 * four + pair + unit, 4 * step + k);
            out.push_back(unit == 0 ? static_cast<std::int8_t>(x ^ -128) : x);
          }
  return out;
}

std::vector<std::int8_t> pack_bits(std::span<const std::int8_t> weights, unsigned bits) {
  const std::size_t per_byte = 8 / bits;
  std::vector<std::int8_t> out((weights.size() + per_byte - 1) / per_byte);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::uint32_t byte = low_bits(weights[i], bits) << (i % per_byte * bits);
    out[i / per_byte] = static_cast<std::int8_t>(static_cast<std::uint8_t>(out[i / per_byte]) | byte);
  }
  return out;
}

std::vector<std::int8_t> pack_bit_rows(const WeightRows& w, unsigned bits) {
  return pack_bits(pack_weights(w, 1, 8 / bits), bits);
}

std::vector<std::int8_t> pack_bit_vectors(std::span<const std::int8_t> weights, unsigned bits) {
  const std::size_t at_once = 16 * std::size_t{8 / bits};
  std::vector<std::int8_t> out((weights.size() + at_once - 1) / at_once * 16);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::int8_t& to = out[i / at_once * 16 + i % 16];
    to = static_cast<std::int8_t>(static_cast<std::uint8_t>(to) | low_bits(weights[i], bits)
                                                                      << (i % at_once / 16 * bits));
  }
  return out;
}

std::vector<std::int8_t> pack_bit_words(const WeightRows& w, unsigned bits, bool fours) {
  const unsigned in_word = 32 / bits, added = 1U << (bits - 1);
  const std::vector<std::int8_t> rows = pack_weights(w, 1, in_word);
  std::vector<std::int8_t> out;
  out.reserve(rows.size() * bits / 8);
  for (std::size_t first = 0; first < rows.size(); first += in_word) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < in_word; ++i) {
      // 0, 2, 1, 3 of every four: the two middle bits of the place are exchanged.
      const unsigned place = fours ? (i & ~3U) | (i & 1U) << 1 | (i >> 1 & 1U) : i;
      const std::uint32_t x = low_bits(rows[first + place], bits) ^ added;
      word |= x << (i / 2 * bits + i % 2 * 16);
    }
    push_word(out, word);
  }
  return out;
}

std::vector<std::int8_t> pack_unit_words(const WeightRows& w, unsigned bits) {
  const std::int64_t fours = (w.channels + 3) / 4, steps = (w.depth + 3) / 4;
  const unsigned added = 1U << (bits - 1);
  std::vector<std::int8_t> out;
  out.reserve(static_cast<std::size_t>(fours * steps * 2 * bits));
  const auto weight = [&](std::int64_t unit, std::int64_t k) -> std::uint32_t {
    if (unit >= w.channels || k >= w.depth) return 0;
    return low_bits(w.rows[static_cast<std::size_t>(unit * w.depth + k)], bits) ^ added;
  };
  for (std::int64_t four = 0; four < fours; ++four)
    for (std::int64_t step = 0; step < steps; ++step) {
      // Elements 0 and 2, and elements 1 and 3.
      std::uint32_t even = 0, odd = 0;
      for (unsigned unit = 0; unit < 4; ++unit) {
        const auto pair = [&](std::int64_t k) {
          return (weight(4 * four + unit, 4 * step + k) | weight(4 * four + unit, 4 * step + k + 2) << 16)
                 << (unit * bits);
        };
        even |= pair(0);
        odd |= pair(1);
      }
      push_word(out, bits == 4 ? even : even | odd << 8);
      if (bits == 4) push_word(out, odd);
    }
  return out;
}

}  // namespace byoc::layers
