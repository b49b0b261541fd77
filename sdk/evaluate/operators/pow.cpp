// Pow: x to the power y, with broadcasting; the result has x's element type.
#include <cmath>

#include "sdk/evaluate/index.hpp"
#include "sdk/evaluate/operators.hpp"

namespace byoc::evaluate {

Outcome pow(const Call& call) {
  const std::optional<Dims> dims = broadcast(*call.in(0).type.dims, *call.in(1).type.dims);
  if (!dims)
    return call.error("the shapes of the inputs do not broadcast",
                      describe(call.in(0)) + " and " + describe(call.in(1)));
  if (call.in(0).type.dtype == DType::boolean || call.in(0).type.quantisation)
    return call.unsupported_dtype(0, "a number without quantisation");
  const std::vector<double> x = reals(call.in(0));
  const std::vector<double> y = reals(call.in(1));
  if (!call.allocate(call.in(0).type.dtype, *dims)) return failure;
  std::vector<double> out;
  walk<2>(*dims, {broadcast_strides(*call.in(0).type.dims, *dims), broadcast_strides(*call.in(1).type.dims, *dims)},
          [&](const std::array<std::int64_t, 2>& at) {
            out.push_back(std::pow(x[static_cast<std::size_t>(at[0])], y[static_cast<std::size_t>(at[1])]));
          });
  return single(call.from_reals(call.in(0).type.dtype, *dims, out));
}

}  // namespace byoc::evaluate
