// RAM against time: which bounds are asked for, what is left of the plans, the table and the page.
#include "sdk/run/simulate/frontier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace byoc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Frontier, BoundsAreSpreadFromTheLeastToTheMost) {
  EXPECT_THAT(frontier_bounds(100, 1000, 10), ElementsAre(100, 200, 300, 400, 500, 600, 700, 800, 900, 1000));
  EXPECT_THAT(frontier_bounds(100, 102, 10), ElementsAre(100, 101, 102));
  EXPECT_THAT(frontier_bounds(100, 100, 10), ElementsAre(100));
  EXPECT_THAT(frontier_bounds(7, 9, 1), ElementsAre(9));
}

TEST(Frontier, PlansThatAnotherBeatsInBothAreLeftOut) {
  const auto best = best_of({{400, 50, 9}, {100, 90, 1}, {200, 90, 2}, {300, 95, 3}, {250, 70, 4}, {400, 60, 5}});
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].ram, 100U);
  EXPECT_EQ(best[1].ram, 250U);
  EXPECT_EQ(best[2].ram, 400U);
  EXPECT_EQ(best[2].time, 50U);
  EXPECT_TRUE(best_of({}).empty());
}

TEST(Frontier, IsATableAndACurve) {
  const Frontier frontier{"net<1>", "cortex-m4f", "cycles", {{1000, 3000, 20480}, {4000, 2000, 10240}}};
  EXPECT_EQ(frontier_table(frontier),
            "  RAM  cycles  of the least   flash\n"
            "1,000   3,000         1.500  20,480\n"
            "4,000   2,000         1.000  10,240\n");
  const std::string page = frontier_page(frontier);
  EXPECT_THAT(page, HasSubstr("<title>1\u202f000 bytes, 3\u202f000 cycles</title>"));
  // The first point is a quarter of the way, at the top; the second at the end, at the bottom: cycles begin at 2,000.
  EXPECT_THAT(page, HasSubstr("d=\"M275 24L800 324\""));
  EXPECT_THAT(page, HasSubstr(">1\u202f000, +50.0 %</text>"));
  EXPECT_THAT(page, HasSubstr("RAM 4\u202f000 → 1\u202f000 bytes for 50.0 % more cycles"));
  EXPECT_THAT(page, HasSubstr("bytes of RAM"));
  EXPECT_THAT(page, Not(HasSubstr("net<1>")));
}

}  // namespace
}  // namespace byoc
