// Helpers of the normalising operators: mean and variance over groups of elements.
#pragma once

#include <functional>
#include <vector>

#include "sdk/model/evaluate/call.hpp"
#include "sdk/model/evaluate/index.hpp"

namespace byoc::evaluate {

// Every element belongs to one group, and has parameters: indexes by element.
struct Groups {
  std::size_t count = 0;
  std::vector<std::size_t> of;  // element -> group
};

// Groups of elements that differ in the dims of `reduced` alone, in row-major order of the other dims.
[[nodiscard]] Groups groups_over(const Dims& dims, const std::vector<bool>& reduced);

// Over all dims from `axis` on.
[[nodiscard]] Groups groups_from(const Dims& dims, std::size_t axis);

// Calls f(element of the result, element of operand `i`) for all elements of a result that has the shape of the first
// operand.
template <class F>
Result<void> for_each_broadcast(const Call& call, std::size_t i, F&& f) {
  const Dims& own = *call.in(i).type.dims;
  const Dims& dims = *call.in(0).type.dims;
  if (broadcast(own, dims) != dims)
    return call.error("input " + std::to_string(i) + " does not broadcast to the input", describe(call.in(i)),
                      describe(dims));
  std::size_t next = 0;
  walk<1>(dims, {broadcast_strides(own, dims)},
          [&](const std::array<std::int64_t, 1>& at) { f(next++, static_cast<std::size_t>(at[0])); });
  return {};
}

struct Moments {
  std::vector<double> mean, variance;  // of each group; the variance divides by the number of elements
};
[[nodiscard]] Moments moments(const std::vector<double>& x, const Groups& groups);

// (x - mean) / sqrt(variance + epsilon), group by group.
[[nodiscard]] std::vector<double> standardise(const std::vector<double>& x, const Groups& groups, const Moments& m,
                                              double epsilon);

}  // namespace byoc::evaluate
