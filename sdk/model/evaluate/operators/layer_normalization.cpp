// LayerNormalization: over all dims from `axis` on. Also gives out the mean and the inverse of the deviation.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/normalise.hpp"

namespace byoc::evaluate {
Outcome layer_normalization(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  if (!call.same_dtype(0, 1) || (call.find(2) != nullptr && !call.same_dtype(0, 2))) return failure;
  const Result<std::size_t> axis = call.axis(call.node.integer("axis", -1), dims.size());
  if (!axis) return failure;
  Dims outer = dims;
  for (std::size_t d = *axis; d < dims.size(); ++d) outer[d] = 1;
  const std::vector<double> values = reals(x);
  const Groups groups = groups_from(dims, *axis);
  const Moments m = moments(values, groups);
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  std::vector<double> y = standardise(values, groups, m, epsilon);
  const std::vector<double> scale = reals(call.in(1));
  if (!for_each_broadcast(call, 1, [&](std::size_t i, std::size_t at) { y[i] *= scale[at]; })) return failure;
  if (call.find(2) != nullptr) {
    const std::vector<double> bias = reals(call.in(2));
    if (!for_each_broadcast(call, 2, [&](std::size_t i, std::size_t at) { y[i] += bias[at]; })) return failure;
  }
  std::vector<double> inverse;
  for (const double v : m.variance) inverse.push_back(1 / std::sqrt(v + epsilon));
  const DType stash = x.type.dtype == DType::f64 ? DType::f64 : DType::f32;
  std::vector<Tensor> out;
  for (Result<Tensor> t : {call.from_reals(x.type.dtype, dims, y, 0), call.from_reals(stash, outer, m.mean, 1),
                           call.from_reals(stash, outer, inverse, 2)}) {
    if (!t) return failure;
    out.push_back(std::move(*t));
  }
  return out;
}

}  // namespace byoc::evaluate
