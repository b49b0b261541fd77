#include "sdk/base/page/layout.hpp"

#include <algorithm>
#include <cstdint>

namespace byoc::page {
namespace {

// A box, or the place in a row that a long line goes through.
struct Slot {
  std::size_t row = 0;
  double width = 0;
  double x = 0;  // of its middle
  std::vector<std::size_t> above, below;
};

struct Rows {
  std::vector<Slot> slots;                      // boxes first
  std::vector<std::vector<std::size_t>> order;  // of each row, its slots from left to right
  std::vector<std::vector<std::size_t>> lines;  // of each edge, the slots that it goes through, its boxes included
};

std::vector<std::size_t> rows_of(std::size_t boxes, std::span<const Edge> edges) {
  std::vector<std::vector<std::size_t>> readers(boxes);
  std::vector<bool> reads(boxes, false);
  for (const Edge& e : edges) {
    readers[e.from].push_back(e.to);
    reads[e.to] = true;
  }
  std::vector<std::size_t> row(boxes, 0);
  for (std::size_t b = 0; b < boxes; ++b)
    for (const std::size_t r : readers[b]) row[r] = std::max(row[r], row[b] + 1);
  // A box that reads nothing stands right above the first box that reads it.
  for (std::size_t b = 0; b < boxes; ++b) {
    if (reads[b] || readers[b].empty()) continue;
    std::size_t first = SIZE_MAX;
    for (const std::size_t r : readers[b]) first = std::min(first, row[r]);
    row[b] = first - 1;
  }
  return row;
}

Rows make_rows(std::size_t boxes, std::span<const Edge> edges, const BoxSize& size) {
  constexpr double kLineWidth = 12;
  const std::vector<std::size_t> row = rows_of(boxes, edges);
  Rows out;
  out.slots.resize(boxes);
  for (std::size_t b = 0; b < boxes; ++b) {
    out.slots[b].row = row[b];
    out.slots[b].width = size.width;
  }
  for (const Edge& e : edges) {
    std::vector<std::size_t> line = {e.from};
    for (std::size_t r = row[e.from] + 1; r < row[e.to]; ++r) {
      line.push_back(out.slots.size());
      out.slots.push_back({r, kLineWidth, 0, {}, {}});
    }
    line.push_back(e.to);
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      out.slots[line[i]].below.push_back(line[i + 1]);
      out.slots[line[i + 1]].above.push_back(line[i]);
    }
    out.lines.push_back(std::move(line));
  }
  out.order.resize(boxes == 0 ? 0 : 1 + *std::max_element(row.begin(), row.end()));
  for (std::size_t s = 0; s < out.slots.size(); ++s) out.order[out.slots[s].row].push_back(s);
  return out;
}

// The preferred position of a slot: the middle of its neighbours, or its own if it has none.
double wish(const Rows& rows, const Slot& slot, const std::vector<std::size_t>& neighbours) {
  if (neighbours.empty()) return slot.x;
  double sum = 0;
  for (const std::size_t n : neighbours) sum += rows.slots[n].x;
  return sum / static_cast<double>(neighbours.size());
}

// Puts the slots of a row as near to their wishes as their order and widths allow, by least squares: without their
// widths that is a sequence that never falls, whose best fit merges neighbours that contradict each other (pool
// adjacent violators).
void settle(Rows& rows, const std::vector<std::size_t>& order, const std::vector<double>& wishes, double gap) {
  struct Block {
    double sum;
    std::size_t count;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<double> shift(order.size(), 0);
  for (std::size_t i = 1; i < order.size(); ++i)
    shift[i] = shift[i - 1] + (rows.slots[order[i - 1]].width + rows.slots[order[i]].width) / 2 + gap;
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < order.size(); ++i) {
    blocks.push_back({wishes[i] - shift[i], 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  std::size_t i = 0;
  for (const Block& b : blocks)
    for (std::size_t k = 0; k < b.count; ++k, ++i) rows.slots[order[i]].x = b.mean() + shift[i];
}

// Orders and settles one row by its neighbours above or below.
void visit(Rows& rows, std::size_t row, std::vector<std::size_t> Slot::* side, bool reorder, double gap) {
  std::vector<std::size_t>& order = rows.order[row];
  std::vector<std::pair<double, std::size_t>> wished;
  for (const std::size_t s : order) wished.emplace_back(wish(rows, rows.slots[s], rows.slots[s].*side), s);
  if (reorder)
    std::stable_sort(wished.begin(), wished.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<double> wishes;
  for (std::size_t i = 0; i < wished.size(); ++i) {
    order[i] = wished[i].second;
    wishes.push_back(wished[i].first);
  }
  settle(rows, order, wishes, gap);
}

void place(Rows& rows, double gap) {
  constexpr int kSweeps = 6;  // the last two keep the order
  for (const auto& order : rows.order) settle(rows, order, std::vector<double>(order.size(), 0), gap);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const bool reorder = sweep < kSweeps - 2;
    for (std::size_t r = 1; r < rows.order.size(); ++r) visit(rows, r, &Slot::above, reorder, gap);
    for (std::size_t r = rows.order.size(); r-- > 0;) visit(rows, r, &Slot::below, reorder, gap);
  }
}

}  // namespace

Layout layered_layout(std::size_t boxes, std::span<const Edge> edges, const BoxSize& size) {
  Rows rows = make_rows(boxes, edges, size);
  place(rows, size.gap);
  double left = 0, right = 0;
  for (const Slot& s : rows.slots) {
    left = std::min(left, s.x - s.width / 2);
    right = std::max(right, s.x + s.width / 2);
  }
  Layout out;
  out.width = right - left;
  const double pitch = size.height + size.row_gap;
  out.height = rows.order.empty() ? 0 : static_cast<double>(rows.order.size()) * pitch - size.row_gap;
  const auto top = [&](std::size_t slot) { return static_cast<double>(rows.slots[slot].row) * pitch; };
  for (std::size_t b = 0; b < boxes; ++b) out.boxes.push_back({rows.slots[b].x - size.width / 2 - left, top(b)});
  for (const auto& line : rows.lines) {
    std::vector<Point> route;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const double x = rows.slots[line[i]].x - left;
      if (i != 0) route.push_back({x, top(line[i])});
      if (i + 1 != line.size()) route.push_back({x, top(line[i]) + size.height});
    }
    out.routes.push_back(std::move(route));
  }
  return out;
}

}  // namespace byoc::page
