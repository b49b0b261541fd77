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

TEST(WeightPacking, twoChannelsShareTheHalvesOfAWord) {
  // Channels 1 and 2 make one word, channel 3 is alone; what is below zero takes one off the other.
  const std::vector<std::int8_t> rows{1, -2, 3, 4, 5, 6, -7, 8, 9, 10, 11, 12};
  EXPECT_THAT(bytes(pack_twins({rows, 1, 3, 4})), ElementsAre(1, 5, 3, 0xf9, 9, 0, 11, 0,  // elements 0 and 2
                                                              0xfe, 5, 4, 8, 10, 0, 12, 0));
}

TEST(WeightPacking, twinsOfAGroupAreFilledUp) {
  const std::vector<std::int8_t> rows{1, 2};
  EXPECT_EQ(pack_twins({rows, 2, 1, 1}).size(), 32U);
  EXPECT_EQ(pack_twins({rows, 2, 1, 1})[16], 2);
}

TEST(WeightPacking, twinsFitIntoSixteenAndTwentyFourBits) {
  const std::vector<std::int8_t> below{-1, -128}, above{0, -128};
  EXPECT_FALSE(fits_twins({below, 1, 2, 1}));
  EXPECT_TRUE(fits_twins({above, 1, 2, 1}));
  EXPECT_TRUE(fits_twins({below, 2, 1, 1})) << "no pair in either group";
  // 128 * 127 * 516 is below 2^23, of one element more it is not; the first of a pair has 32 bits.
  std::vector<std::int8_t> most(2 * 516, 127), more(2 * 517, 127);
  EXPECT_TRUE(fits_twins({most, 1, 2, 516}));
  EXPECT_FALSE(fits_twins({more, 1, 2, 517}));
  std::fill(more.begin() + 517, more.end(), std::int8_t{1});
  EXPECT_TRUE(fits_twins({more, 1, 2, 517}));
}

}  // namespace
}  // namespace byoc::layers
