#include "backends/layers/weight_packing.hpp"

#include <utility>

namespace byoc::layers {

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

std::vector<std::int8_t> pack_unit_eights(const WeightRows& w) {
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
  }
  return out;
}

std::vector<std::int16_t> widen_weights(std::span<const std::int8_t> packed) {
  std::vector<std::int16_t> out;
  out.reserve(packed.size());
  for (std::size_t i = 0; i < packed.size(); i += 4)
    for (const std::size_t k : {0U, 2U, 1U, 3U}) out.push_back(packed[i + k]);
  return out;
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

}  // namespace byoc::layers
