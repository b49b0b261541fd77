// BatchNormalization along dim 1: (x - mean) / sqrt(variance + epsilon) * scale + bias. In training the statistics are
// those of x, and the running ones are given out.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/normalise.hpp"

namespace byoc::evaluate {

Outcome batch_normalization(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.empty()) return call.error("input 0 must have rank 1 or more", describe(x));
  const std::int64_t channels = dims.size() > 1 ? dims[1] : 1;
  for (std::size_t i = 1; i < 5; ++i) {
    if (!is_float(call.in(i).type.dtype)) return call.unsupported_dtype(i, "a float");
    if (*call.in(i).type.dims != Dims{channels})
      return call.error("input " + std::to_string(i) + " must have one element for each channel", describe(call.in(i)),
                        describe(Dims{channels}));
  }
  const std::vector<double> scale = reals(call.in(1));
  const std::vector<double> bias = reals(call.in(2));
  Moments m{reals(call.in(3)), reals(call.in(4))};
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  std::vector<double> y = reals(x);
  std::vector<bool> reduced(dims.size(), true);
  if (dims.size() > 1) reduced[1] = false;
  const Groups groups = groups_over(dims, reduced);
  std::vector<Tensor> running;
  if (call.node.integer("training_mode", 0) != 0) {
    const auto momentum = static_cast<double>(call.node.real("momentum", 0.9F));
    const Moments found = moments(y, groups);
    for (std::size_t c = 0; c < groups.count; ++c) {
      m.mean[c] = m.mean[c] * momentum + found.mean[c] * (1 - momentum);
      m.variance[c] = m.variance[c] * momentum + found.variance[c] * (1 - momentum);
    }
    for (Result<Tensor> t : {call.from_reals(call.in(3).type.dtype, {channels}, m.mean, 1),
                             call.from_reals(call.in(4).type.dtype, {channels}, m.variance, 2)}) {
      if (!t) return failure;
      running.push_back(std::move(*t));
    }
    m = found;
  }
  y = standardise(y, groups, m, epsilon);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] * scale[groups.of[i]] + bias[groups.of[i]];
  Outcome out = single(call.from_reals(x.type.dtype, dims, y));
  if (!out) return failure;
  for (Tensor& t : running) out->push_back(std::move(t));
  return out;
}

}  // namespace byoc::evaluate
