// byoc.L2Pool: the root of the mean square of the elements under each window.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/pool.hpp"
#include "sdk/model/evaluate/quantise.hpp"
#include "sdk/model/evaluate/sum.hpp"

namespace byoc::evaluate {

Outcome l2_pool(const Call& call) {
  const Result<Pool> pool = read_pool(call);
  if (!pool) return failure;
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  return with_sum_type(dtype, [&]<class Real>() {
    const std::vector<Real> x = reals<Real>(call.in(0));
    std::vector<Real> y;
    for_each_window(*pool, [&](std::span<const std::size_t> inside, std::int64_t) {
      BlockSum<Real> sum;
      for (const std::size_t i : inside) sum.add(x[i] * x[i]);
      const Real root = inside.empty() ? 0 : std::sqrt(sum.total() / static_cast<Real>(inside.size()));
      y.push_back(std::clamp(root, static_cast<Real>(bounds->low), static_cast<Real>(bounds->high)));
    });
    return single(call.from_reals(dtype, pool->out.dims(), in_layout(*pool, y)));
  });
}

}  // namespace byoc::evaluate
