// byoc.Atan2 with broadcasting: the angle of (x, y), in (-pi, pi].
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/broadcasting.hpp"

namespace byoc::evaluate {

Outcome atan2(const Call& call) {
  const DType dtype = call.in(0).type.dtype;
  if (!is_float(dtype)) return call.unsupported_dtype(0, "a float");
  if (!call.same_dtype(0, 1)) return failure;
  const Result<Dims> dims = broadcast_operands(call);
  if (!dims) return failure;
  const std::vector<double> y = reals(call.in(0)), x = reals(call.in(1));
  std::vector<double> angles;
  walk<2>(*dims, {broadcast_strides(*call.in(0).type.dims, *dims), broadcast_strides(*call.in(1).type.dims, *dims)},
          [&](const std::array<std::int64_t, 2>& at) {
            angles.push_back(std::atan2(y[static_cast<std::size_t>(at[0])], x[static_cast<std::size_t>(at[1])]));
          });
  return single(call.from_reals(dtype, *dims, angles));
}

}  // namespace byoc::evaluate
