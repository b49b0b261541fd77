// LpNormalization: x divided by the sum of magnitudes (p 1) or the length (p 2) along `axis`; zeros stay zeros.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/normalise.hpp"

namespace byoc::evaluate {

Outcome lp_normalization(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  const std::int64_t p = call.node.integer("p", 2);
  if (p != 1 && p != 2) return call.error("attribute p is out of range", std::to_string(p), "1 or 2");
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), dims.size());
  if (!axis) return failure;
  std::vector<bool> reduced(dims.size());
  reduced[*axis] = true;
  std::vector<double> y = reals(x);
  const Groups groups = groups_over(dims, reduced);
  // In parts of the largest magnitude, squares neither vanish nor overflow.
  std::vector<double> largest(groups.count), norm(groups.count);
  for (std::size_t i = 0; i < y.size(); ++i) largest[groups.of[i]] = std::fmax(largest[groups.of[i]], std::fabs(y[i]));
  for (double& m : largest)
    if (m == 0 || !std::isfinite(m)) m = 1;
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] /= largest[groups.of[i]];
    norm[groups.of[i]] += p == 1 ? std::fabs(y[i]) : y[i] * y[i];
  }
  for (double& n : norm) n = p == 1 ? n : std::sqrt(n);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = norm[groups.of[i]] == 0 ? 0 : y[i] / norm[groups.of[i]];
  return single(call.from_reals(x.type.dtype, dims, y));
}

}  // namespace byoc::evaluate
