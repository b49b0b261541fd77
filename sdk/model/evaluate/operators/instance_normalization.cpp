// InstanceNormalization and GroupNormalization: each image's channels, or groups of them, by themselves.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/normalise.hpp"

namespace byoc::evaluate {
namespace {

// Scale and bias have `parameters` elements, each shared by as many channels that follow each other.
Outcome normalise_channels(const Call& call, std::int64_t groups, std::int64_t parameters) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    if (!call.same_dtype(0, i)) return failure;
    if (*call.in(i).type.dims != Dims{parameters})
      return call.error("input " + std::to_string(i) + " has the wrong shape", describe(call.in(i)),
                        describe(Dims{parameters}));
  }
  std::int64_t inner = 1;
  for (std::size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
  const Dims viewed{dims[0], groups, groups == 0 ? 0 : dims[1] / groups * inner};
  const std::vector<double> values = reals(x);
  const Groups g = groups_over(viewed, {false, false, true});
  const double epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  std::vector<double> y = standardise(values, g, moments(values, g), epsilon);
  const std::vector<double> scale = reals(call.in(1));
  const std::vector<double> bias = reals(call.in(2));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto channel = static_cast<std::int64_t>(i) / inner % dims[1];
    const auto at = static_cast<std::size_t>(channel / (dims[1] / parameters));
    y[i] = y[i] * scale[at] + bias[at];
  }
  return single(call.from_reals(x.type.dtype, dims, y));
}

}  // namespace

Outcome instance_normalization(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  if (dims.size() < 3) return call.error("input 0 must have rank 3 or more", describe(call.in(0)));
  return normalise_channels(call, dims[1], dims[1]);
}

Outcome group_normalization(const Call& call) {
  const Dims& dims = *call.in(0).type.dims;
  const std::int64_t groups = call.node.integer("num_groups", 0);
  if (dims.size() < 2 || groups < 1 || dims[1] % groups != 0)
    return call.error("num_groups does not divide the channels", std::to_string(groups), describe(call.in(0)));
  // Opset 18 has parameters for each group, opset 21 for each channel.
  return normalise_channels(call, groups, call.node.version < 21 ? groups : dims[1]);
}

}  // namespace byoc::evaluate
