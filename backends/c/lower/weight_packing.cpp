#include "backends/c/lower/weight_packing.hpp"

namespace byoc::c {

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

}  // namespace byoc::c
