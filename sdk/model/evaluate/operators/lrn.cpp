// LRN: x / (bias + alpha / size * squares)^beta, squares summed over `size` neighbouring channels.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {

Outcome lrn(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  if (dims.size() < 2) return call.error("input 0 must have rank 2 or more", describe(x));
  const std::int64_t size = call.node.integer("size", 0);
  if (size < 1) return call.error("attribute size is out of range", std::to_string(size), "at least 1");
  const auto alpha = static_cast<double>(call.node.real("alpha", 0.0001F));
  const auto beta = static_cast<double>(call.node.real("beta", 0.75F));
  const auto bias = static_cast<double>(call.node.real("bias", 1.0F));
  std::int64_t inner = 1;
  for (std::size_t d = 2; d < dims.size(); ++d) inner *= dims[d];
  const std::vector<double> in = reals(x);
  std::vector<double> y(in.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(in.size()); ++i) {
    const std::int64_t channel = i / inner % dims[1];
    // The odd neighbour of an even size is behind.
    const std::int64_t first = std::max<std::int64_t>(channel - (size - 1) / 2, 0);
    const std::int64_t last = std::min(channel + size / 2, dims[1] - 1);
    double squares = 0;
    for (std::int64_t c = first; c <= last; ++c) {
      const double v = in[static_cast<std::size_t>(i + (c - channel) * inner)];
      squares += v * v;
    }
    y[static_cast<std::size_t>(i)] =
        in[static_cast<std::size_t>(i)] / std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
  }
  return single(call.from_reals(x.type.dtype, dims, y));
}

}  // namespace byoc::evaluate
