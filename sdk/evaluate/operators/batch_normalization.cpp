// BatchNormalization in inference: (x - mean) / sqrt(variance + epsilon) * scale + bias along dim 1.
#include <cmath>

#include "sdk/evaluate/operators.hpp"

namespace byoc::evaluate {

Outcome batch_normalization(const Call& call) {
  if (call.node.integer("training_mode", 0) != 0)
    return call.error("training is not supported", "training_mode 1", "training_mode 0");
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.empty()) return call.error("input 0 must have rank 1 or more", describe(x));
  const std::int64_t channels = dims.size() > 1 ? dims[1] : 1;
  for (std::size_t i = 1; i < 5; ++i)
    if (*call.in(i).type.dims != Dims{channels})
      return call.error("input " + std::to_string(i) + " must have one element for each channel", describe(call.in(i)),
                        describe(Dims{channels}));
  const std::vector<double> scale = reals(call.in(1));
  const std::vector<double> bias = reals(call.in(2));
  const std::vector<double> mean = reals(call.in(3));
  const std::vector<double> variance = reals(call.in(4));
  const auto epsilon = static_cast<double>(call.node.real("epsilon", 1e-5F));
  std::int64_t inner = 1;
  for (std::size_t i = 2; i < dims.size(); ++i) inner *= dims[i];
  std::vector<double> y = reals(x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t c = i / static_cast<std::size_t>(inner) % static_cast<std::size_t>(channels);
    y[i] = (y[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + bias[c];
  }
  return single(call.from_reals(x.type.dtype, dims, y));
}

}  // namespace byoc::evaluate
