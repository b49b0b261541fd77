// Boxes and how far they cover each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace byoc::evaluate {

struct Box {
  float y1, x1, y2, x2;
};

[[nodiscard]] inline float intersection_over_union(const Box& a, const Box& b) {
  const auto area = [](const Box& r) { return (r.y2 - r.y1) * (r.x2 - r.x1); };
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (height <= 0 || width <= 0 || area(a) <= 0 || area(b) <= 0) return 0;
  return height * width / (area(a) + area(b) - height * width);
}

// Indices, equal scores in their order; NaN is the lowest score.
[[nodiscard]] inline std::vector<std::size_t> by_falling_score(std::span<const float> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return scores[i] > scores[j] || (std::isnan(scores[j]) && !std::isnan(scores[i]));
  });
  return order;
}

}  // namespace byoc::evaluate
