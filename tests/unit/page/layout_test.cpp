#include "sdk/base/page/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace byoc::page {
namespace {

constexpr BoxSize kSize{100, 40, 10, 20};

// Boxes of a row do not touch, and everything is within the drawing.
void expect_apart(const Layout& layout) {
  for (std::size_t a = 0; a < layout.boxes.size(); ++a) {
    EXPECT_GE(layout.boxes[a].x, -1e-6);
    EXPECT_LE(layout.boxes[a].x + kSize.width, layout.width + 1e-6);
    EXPECT_LE(layout.boxes[a].y + kSize.height, layout.height + 1e-6);
    for (std::size_t b = 0; b < a; ++b)
      if (layout.boxes[a].y == layout.boxes[b].y) {
        EXPECT_GE(std::abs(layout.boxes[a].x - layout.boxes[b].x), kSize.width + kSize.gap - 1e-6) << a << " " << b;
      }
  }
}

TEST(Layout, aChainIsAColumn) {
  const Edge edges[] = {{0, 1}, {1, 2}};
  const Layout layout = layered_layout(3, edges, kSize);
  expect_apart(layout);
  EXPECT_DOUBLE_EQ(layout.width, 100);
  EXPECT_DOUBLE_EQ(layout.height, 3 * 40 + 2 * 20);
  for (std::size_t b = 0; b < 3; ++b) EXPECT_DOUBLE_EQ(layout.boxes[b].y, static_cast<double>(b) * 60);
}

TEST(Layout, aLongLineGoesPastTheBoxesBetween) {
  const Edge edges[] = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  const Layout layout = layered_layout(4, edges, kSize);
  expect_apart(layout);
  const auto& skip = layout.routes[3];
  ASSERT_EQ(skip.size(), 6u);  // out of a box, through two rows, into a box
  for (std::size_t row = 1; row <= 2; ++row) {
    const Point at = skip[2 * row];
    EXPECT_EQ(at.x, skip[2 * row - 1].x);
    EXPECT_TRUE(at.x < layout.boxes[row].x || at.x > layout.boxes[row].x + kSize.width) << row;
  }
}

TEST(Layout, whatReadsNothingStandsAboveItsReader) {
  const Edge edges[] = {{0, 1}, {1, 2}, {3, 4}, {2, 4}};
  const Layout layout = layered_layout(5, edges, kSize);
  EXPECT_EQ(layout.boxes[3].y + 60, layout.boxes[4].y);
}

TEST(Layout, twoBranchesDoNotCross) {
  // 0 -> 1, 2; 1 -> 4; 2 -> 3: in the order of their numbers 3 and 4 would cross.
  const Edge edges[] = {{0, 1}, {0, 2}, {2, 3}, {1, 4}};
  const Layout layout = layered_layout(5, edges, kSize);
  EXPECT_EQ(layout.boxes[1].x < layout.boxes[2].x, layout.boxes[4].x < layout.boxes[3].x);
}

TEST(Layout, randomGraphsHaveNoOverlaps) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    const std::size_t boxes = 1 + random() % 60;
    std::vector<Edge> edges;
    for (std::size_t to = 1; to < boxes; ++to)
      for (std::size_t k = random() % 3; k > 0; --k) edges.push_back({random() % to, to});
    const Layout layout = layered_layout(boxes, edges, kSize);
    expect_apart(layout);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      EXPECT_GT(layout.boxes[edges[e].to].y, layout.boxes[edges[e].from].y);
      EXPECT_DOUBLE_EQ(layout.routes[e].front().x, layout.boxes[edges[e].from].x + kSize.width / 2);
      EXPECT_DOUBLE_EQ(layout.routes[e].back().y, layout.boxes[edges[e].to].y);
    }
  }
}

TEST(Layout, nothingIsNothing) {
  const Layout layout = layered_layout(0, {}, kSize);
  EXPECT_EQ(layout.height, 0);
}

}  // namespace
}  // namespace byoc::page
