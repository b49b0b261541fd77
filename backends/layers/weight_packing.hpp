// The orders in which the int8 matrix kernels read weights. Rows are output channels (units), [channel][depth], those
// of one group behind those of the one before; what is added to fill up is zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace byoc::layers {

struct WeightRows {
  std::span<const std::int8_t> rows;
  std::int64_t groups = 1, channels = 0, depth = 0;  // channels: of one group
};

// [group][channels / block][depth / step][block][step], channels and depth rounded up.
[[nodiscard]] std::vector<std::int8_t> pack_weights(const WeightRows&, std::int64_t block, std::int64_t step);

// [group][channel][depth], depth rounded up to 4; every four as 0, 2, 1, 3, so that SXTB16 makes pairs of neighbours.
[[nodiscard]] std::vector<std::int8_t> pack_fours(const WeightRows&);

// The order of conv_s8_dsp_twin.c: two channels share each half of a word.
[[nodiscard]] std::vector<std::int8_t> pack_twins(const WeightRows&);
// True if they can: each half is a number of 16 bits, and the sum of any patch's products with the second channel one
// of 24 bits.
[[nodiscard]] bool fits_twins(const WeightRows&);

// The order of fully_connected_s8_dsp.c: two units share each half of a word. One group.
[[nodiscard]] std::vector<std::int8_t> pack_unit_pairs(const WeightRows&);

// The order of fully_connected_s8_mve.c: eight units by 16 elements, the last 16 first. The blocks of remaining units
// are filled up to a multiple of `blocks`. One group.
[[nodiscard]] std::vector<std::int8_t> pack_unit_eights(const WeightRows&, std::int64_t blocks = 1);

// Orders of the same kernels for weights of `bits` bits, 4 or 2, in which all of these fit.
// 8 / bits to a byte, the first in its lowest bits.

// 8 / bits to a byte, the first in its lowest bits.
[[nodiscard]] std::vector<std::int8_t> pack_bits(std::span<const std::int8_t> weights, unsigned bits);
// As pack_bits(), with each channel starting at a byte.
[[nodiscard]] std::vector<std::int8_t> pack_bit_rows(const WeightRows&, unsigned bits);
// A vector of 16 bytes for 8 / bits times 16 weights, the first 16 in its lowest bits; filled up.
[[nodiscard]] std::vector<std::int8_t> pack_bit_vectors(std::span<const std::int8_t> weights, unsigned bits);
// The order of byoc_packed_dsp.h: [group][channel][word]; `fours`: a word takes every four elements as 0, 2, 1, 3.
[[nodiscard]] std::vector<std::int8_t> pack_bit_words(const WeightRows&, unsigned bits, bool fours);
// The order of fully_connected_s8_dsp.c.
[[nodiscard]] std::vector<std::int8_t> pack_unit_words(const WeightRows&, unsigned bits);

}  // namespace byoc::layers
