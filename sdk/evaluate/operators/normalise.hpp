// What the normalising operators share: mean and variance over groups of elements.
#pragma once

#include <functional>
#include <vector>

#include "sdk/evaluate/call.hpp"

namespace byoc::evaluate {

// Every element belongs to one group, and has parameters: indexes by element.
struct Groups {
  std::size_t count = 0;
  std::vector<std::size_t> of;  // element -> group
};

// Groups of elements that differ in the dims of `reduced` alone, in row-major order of the other dims.
[[nodiscard]] Groups groups_over(const Dims& dims, const std::vector<bool>& reduced);

struct Moments {
  std::vector<double> mean, variance;  // of each group; the variance divides by the number of elements
};
[[nodiscard]] Moments moments(const std::vector<double>& x, const Groups& groups);

// (x - mean) / sqrt(variance + epsilon), group by group.
[[nodiscard]] std::vector<double> standardise(const std::vector<double>& x, const Groups& groups, const Moments& m,
                                              double epsilon);

}  // namespace byoc::evaluate
