// MeanVarianceNormalization: (x - mean) / (deviation + 1e-9) over `axes`.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/normalise.hpp"

namespace byoc::evaluate {

Outcome mean_variance_normalization(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  std::vector<bool> reduced(dims.size());
  for (const std::int64_t a : call.node.integers("axes", {0, 2, 3})) {
    const Result<std::size_t> axis = call.axis(a, dims.size());
    if (!axis) return failure;
    reduced[*axis] = true;
  }
  std::vector<double> y = reals(x);
  const Groups groups = groups_over(dims, reduced);
  const Moments m = moments(y, groups);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t g = groups.of[i];
    y[i] = (y[i] - m.mean[g]) / (std::sqrt(m.variance[g]) + 1e-9);
  }
  return single(call.from_reals(x.type.dtype, dims, y));
}

}  // namespace byoc::evaluate
