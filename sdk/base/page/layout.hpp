// Positions of the boxes and lines of a graph: in rows, every box below all that it reads. The method is that of
// Sugiyama, Tagawa and Toda (IEEE Transactions on Systems, Man and Cybernetics 11, 1981): rows by longest path, long
// lines through places of their own in the rows between, the order in a row by the mean of the neighbours' places.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace byoc::page {

struct Point {
  double x = 0, y = 0;
};

struct Edge {
  std::size_t from = 0, to = 0;  // from < to
};

// In units of the drawing, y downwards.
struct BoxSize {
  double width = 0, height = 0;
  double gap = 0;      // between neighbours in a row
  double row_gap = 0;  // between rows
};

struct Layout {
  std::vector<Point> boxes;                // top left corners
  std::vector<std::vector<Point>> routes;  // of each edge: from box to box, with two points for each row in between
  double width = 0, height = 0;
};

[[nodiscard]] Layout layered_layout(std::size_t boxes, std::span<const Edge> edges, const BoxSize& size);

}  // namespace byoc::page
