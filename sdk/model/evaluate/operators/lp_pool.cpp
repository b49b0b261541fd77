// LpPool and GlobalLpPool: the p-norm of the elements under each window.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/pool.hpp"

namespace byoc::evaluate {
namespace {

Outcome norm(const Call& call, const Pool& pool) {
  if (!is_float(call.in(0).type.dtype)) return call.unsupported_dtype(0, "a float");
  const std::int64_t p = call.node.integer("p", 2);
  if (p < 1) return call.error("attribute p is out of range", std::to_string(p), "at least 1");
  const std::vector<double> x = reals(call.in(0));
  std::vector<double> y;
  for_each_window(pool, [&](std::span<const std::size_t> inside, std::int64_t) {
    double sum = 0;
    for (const std::size_t i : inside) sum += std::pow(std::fabs(x[i]), static_cast<double>(p));
    y.push_back(std::pow(sum, 1 / static_cast<double>(p)));
  });
  return single(call.from_reals(call.in(0).type.dtype, pool.out_dims, in_layout(pool, y)));
}

}  // namespace

Outcome lp_pool(const Call& call) {
  const Result<Pool> pool = read_pool(call);
  if (!pool) return failure;
  return norm(call, *pool);
}

Outcome global_lp_pool(const Call& call) {
  const Result<Pool> pool = read_global_pool(call);
  if (!pool) return failure;
  return norm(call, *pool);
}

}  // namespace byoc::evaluate
