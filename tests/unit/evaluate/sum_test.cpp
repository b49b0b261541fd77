// Sums of more elements than one float can count.
#include "sdk/model/evaluate/sum.hpp"

#include <limits>

#include "tests/unit/evaluate/evaluating.hpp"

namespace byoc::test {
namespace {

float sum_of_ones(std::int32_t count) {
  evaluate::BlockSum<float> sum;
  for (std::int32_t i = 0; i < count; ++i) sum.add(1);
  return sum.total();
}

TEST(BlockSum, countsBeyondWhatAFloatCounts) {
  EXPECT_EQ(sum_of_ones(0), 0);
  EXPECT_EQ(sum_of_ones(256), 256);
  EXPECT_EQ(sum_of_ones(257), 257);
  EXPECT_EQ(sum_of_ones(25'000'000), 25e6F);
}

TEST(BlockSum, keepsInfinitiesAndNaN) {
  evaluate::BlockSum<float> sum;
  for (int i = 0; i < 600; ++i) sum.add(i == 3 ? std::numeric_limits<float>::infinity() : 1.0F);
  EXPECT_EQ(sum.total(), std::numeric_limits<float>::infinity());
  sum.add(-std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(sum.total()));
}

TEST(BlockSum, ofReductionsAndMeans) {
  const std::string x = "const %x : f32[20000000] = splat(1.0) ";
  EXPECT_THAT(floats(x + "%y = ReduceMean.18(%x) output %y"), ElementsAre(1.0F));
  EXPECT_THAT(floats(x + "%y = ReduceSumSquare.18(%x) output %y"), ElementsAre(2e7F));
}

}  // namespace
}  // namespace byoc::test
