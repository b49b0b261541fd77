// Products of matrices, of which there may be many.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tests/e2e/layers/broadcasting.hpp"

namespace byoc::test {

struct Matrices {
  BroadcastShapes batch;
  std::int32_t rows = 1, depth = 1, columns = 1;
  bool turned_a = false, turned_b = false;

  [[nodiscard]] Shape a() const { return with(batch.a, turned_a ? depth : rows, turned_a ? rows : depth); }
  [[nodiscard]] Shape b() const { return with(batch.b, turned_b ? columns : depth, turned_b ? depth : columns); }
  [[nodiscard]] Shape y() const { return with(batch.y, rows, columns); }

  // Which elements of a and b are multiplied.
  using Factors = std::pair<std::size_t, std::size_t>;
  // Calls f with the factors of every element of y in row-major order, and with its row and column.
  void for_each_sum(const std::function<void(const std::vector<Factors>&, std::int32_t, std::int32_t)>& f) const {
    for_each_pair(batch, [&](std::size_t in_a, std::size_t in_b) {
      for (std::int32_t r = 0; r < rows; ++r)
        for (std::int32_t c = 0; c < columns; ++c) {
          std::vector<Factors> factors;
          for (std::int32_t k = 0; k < depth; ++k)
            factors.emplace_back(in_a * size(rows * depth) + size(turned_a ? k * rows + r : r * depth + k),
                                 in_b * size(depth * columns) + size(turned_b ? c * depth + k : k * columns + c));
          f(factors, r, c);
        }
    });
  }

 private:
  static std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }
  static Shape with(Shape batch, std::int32_t rows, std::int32_t columns) {
    batch.insert(batch.end(), {rows, columns});
    return batch;
  }
};

// Batches in half of the cases; more columns than the lanes of any kernel sometimes.
[[nodiscard]] inline Matrices random_matrices(Random& random) {
  Matrices m;
  if (random.chance(50)) m.batch = random_broadcast(random, 2);
  m.rows = random.size(1, 6);
  m.depth = random_channels(random, 20);
  m.columns = random_channels(random, 8);
  return m;
}

}  // namespace byoc::test
