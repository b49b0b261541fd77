// The orders in which the int8 matrix kernels read weights. Rows are output channels (units), [channel][depth], those
// of one group behind those of the one before; what is added to fill up is zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace byoc::c {

struct WeightRows {
  std::span<const std::int8_t> rows;
  std::int64_t groups = 1, channels = 0, depth = 0;  // channels: of one group
};

// [group][channels / block][depth / step][block][step], channels and depth rounded up.
[[nodiscard]] std::vector<std::int8_t> pack_weights(const WeightRows&, std::int64_t block, std::int64_t step);

// As fully_connected_s8_dsp.c has them: two units share each half of a word. One group.
[[nodiscard]] std::vector<std::int8_t> pack_unit_pairs(const WeightRows&);

}  // namespace byoc::c
