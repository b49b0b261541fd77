// HannWindow, HammingWindow, BlackmanWindow: cosine sums over a period of `size`, or of size - 1 if symmetric.
#include <cmath>
#include <numbers>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/ir/onnx_types.hpp"

namespace byoc::evaluate {
namespace {

// a0 - a1 cos(x) + a2 cos(2x)
Outcome cosine_window(const Call& call, double a0, double a1, double a2) {
  const Result<std::vector<std::int64_t>> size = call.integers(0);
  if (!size) return failure;
  if (size->size() != 1) return call.error("the size must have one element", describe(call.in(0)));
  const std::int64_t number = call.node.integer("output_datatype", 1);
  const DType dtype = ir::onnx_type(number);
  if (dtype == DType::undefined)
    return call.error("attribute output_datatype is not an element type that is supported", ir::onnx_type_name(number));
  const std::int64_t count = (*size)[0];
  if (!call.allocate(dtype, {count})) return failure;
  const auto period = static_cast<double>(call.node.integer("periodic", 1) != 0 ? count : count - 1);
  std::vector<double> y;
  for (std::int64_t n = 0; n < count; ++n) {
    const double x = 2 * std::numbers::pi * static_cast<double>(n) / period;
    y.push_back(a0 - a1 * std::cos(x) + a2 * std::cos(2 * x));
  }
  return single(call.from_reals(dtype, {count}, y));
}

}  // namespace

Outcome hann_window(const Call& call) { return cosine_window(call, 0.5, 0.5, 0); }
Outcome hamming_window(const Call& call) { return cosine_window(call, 25.0 / 46, 21.0 / 46, 0); }
Outcome blackman_window(const Call& call) { return cosine_window(call, 0.42, 0.5, 0.08); }

}  // namespace byoc::evaluate
