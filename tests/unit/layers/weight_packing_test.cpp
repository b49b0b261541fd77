#include "backends/layers/weight_packing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc::layers {
namespace {

using testing::ElementsAre;

std::vector<unsigned> bytes(const std::vector<std::int8_t>& packed) {
  std::vector<unsigned> out;
  for (const std::int8_t b : packed) out.push_back(static_cast<std::uint8_t>(b));
  return out;
}

TEST(WeightPacking, bitsFollowEachOtherFromTheLowest) {
  const std::vector<std::int8_t> four{1, -8, 7}, two{1, -2, -1, 0, 1};
  EXPECT_THAT(bytes(pack_bits(four, 4)), ElementsAre(0x81, 0x07));
  EXPECT_THAT(bytes(pack_bits(two, 2)), ElementsAre(0x39, 0x01));
}

TEST(WeightPacking, rowsBeginAtBytes) {
  const std::vector<std::int8_t> rows{1, 2, 3, 4, 5, 6};
  EXPECT_THAT(bytes(pack_bit_rows({rows, 1, 2, 3}, 4)), ElementsAre(0x21, 0x03, 0x54, 0x06));
}

// Weight k of a row, with 8 added, at bits 0, 4 ... of the lower and the upper half.
TEST(WeightPacking, wordsHavePairsInTheirHalves) {
  const std::vector<std::int8_t> rows{-8, -7, -6, -5, -4, -3, -2, -1};
  EXPECT_THAT(bytes(pack_bit_words({rows, 1, 1, 8}, 4, false)), ElementsAre(0x20, 0x64, 0x31, 0x75));
  EXPECT_THAT(bytes(pack_bit_words({rows, 1, 1, 8}, 4, true)), ElementsAre(0x10, 0x54, 0x32, 0x76));
}

TEST(WeightPacking, whatFillsAWordUpIsZero) {
  const std::vector<std::int8_t> row{1};
  EXPECT_THAT(bytes(pack_bit_words({row, 1, 1, 1}, 4, true)), ElementsAre(0x89, 0x88, 0x88, 0x88));
  EXPECT_THAT(bytes(pack_bit_words({row, 1, 1, 1}, 2, true)), ElementsAre(0xab, 0xaa, 0xaa, 0xaa));
}

TEST(WeightPacking, vectorsHoldSixteenOfEach) {
  std::vector<std::int8_t> weights(32, 1);
  weights[16] = -1;
  const auto packed = bytes(pack_bit_vectors(weights, 4));
  ASSERT_EQ(packed.size(), 16U);
  EXPECT_EQ(packed[0], 0xf1U);
  EXPECT_EQ(packed[15], 0x11U);
}

TEST(WeightPacking, fourUnitsShareTheHalvesOfAWord) {
  // Unit u has -8 + u, element k adds 4 * k but for the last.
  const std::vector<std::int8_t> rows{-8, -4, 0, 4, -7, -3, 1, 5, -6, -2, 2, 6, -5, -1, 3, 7};
  EXPECT_THAT(bytes(pack_unit_words({rows, 1, 4, 4}, 4)), ElementsAre(0x10, 0x32, 0x98, 0xba, 0x54, 0x76, 0xdc, 0xfe));
}

}  // namespace
}  // namespace byoc::layers
