// Two operands of element-wise operators and their broadcast.
#pragma once

#include <functional>

#include "tests/e2e/layers/data.hpp"

namespace byoc::test {

struct BroadcastShapes {
  Shape a, b, y;
};
// Up to `rank` dims, each shared, or 1 on one side, or missing in front.
[[nodiscard]] BroadcastShapes random_broadcast(Random&, std::int32_t rank);

// Calls f(index into a, index into b) for every element of y in row-major order.
void for_each_pair(const BroadcastShapes&, const std::function<void(std::size_t, std::size_t)>& f);

[[nodiscard]] std::string text(const Shape&);

}  // namespace byoc::test
