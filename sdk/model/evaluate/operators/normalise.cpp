#include "sdk/model/evaluate/operators/normalise.hpp"

#include <algorithm>
#include <cmath>

namespace byoc::evaluate {

Groups groups_over(const Dims& dims, const std::vector<bool>& reduced) {
  Dims kept = dims;
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (reduced[d]) kept[d] = 1;
  Groups groups;
  groups.count = static_cast<std::size_t>(product(kept).value_or(0));
  walk<1>(dims, {broadcast_strides(kept, dims)},
          [&](const std::array<std::int64_t, 1>& at) { groups.of.push_back(static_cast<std::size_t>(at[0])); });
  return groups;
}

Groups groups_from(const Dims& dims, std::size_t axis) {
  std::vector<bool> reduced(dims.size());
  std::fill(reduced.begin() + static_cast<std::ptrdiff_t>(axis), reduced.end(), true);
  return groups_over(dims, reduced);
}

Moments moments(const std::vector<double>& x, const Groups& groups) {
  Moments m{std::vector<double>(groups.count), std::vector<double>(groups.count)};
  std::vector<double> count(groups.count);
  for (std::size_t i = 0; i < x.size(); ++i) {
    m.mean[groups.of[i]] += x[i];
    count[groups.of[i]] += 1;
  }
  for (std::size_t g = 0; g < groups.count; ++g) m.mean[g] /= count[g];
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = x[i] - m.mean[groups.of[i]];
    m.variance[groups.of[i]] += d * d;
  }
  for (std::size_t g = 0; g < groups.count; ++g) m.variance[g] /= count[g];
  return m;
}

std::vector<double> standardise(const std::vector<double>& x, const Groups& groups, const Moments& m, double epsilon) {
  std::vector<double> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t g = groups.of[i];
    y[i] = (x[i] - m.mean[g]) / std::sqrt(m.variance[g] + epsilon);
  }
  return y;
}

}  // namespace byoc::evaluate
