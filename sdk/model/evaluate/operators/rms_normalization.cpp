// RMSNormalization: elements divided by the root of their mean square over all dims from `axis` on, times a scale.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/normalise.hpp"

namespace byoc::evaluate {

Outcome rms_normalization(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  if (!call.same_dtype(0, 1)) return failure;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), dims.size());
  if (!axis) return failure;
  std::vector<double> values = reals(x);
  const Groups groups = groups_from(dims, *axis);
  std::vector<double> squares(groups.count), count(groups.count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares[groups.of[i]] += values[i] * values[i];
    count[groups.of[i]] += 1;
  }
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] /= std::sqrt(squares[groups.of[i]] / count[groups.of[i]] + epsilon);
  const std::vector<double> scale = reals(call.in(1));
  if (!for_each_broadcast(call, 1, [&](std::size_t i, std::size_t at) { values[i] *= scale[at]; })) return failure;
  return single(call.from_reals(x.type.dtype, dims, values));
}

}  // namespace byoc::evaluate
