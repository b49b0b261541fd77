// QLinearMatMul: a, its scale and zero point, b, its own, y's. b may be quantised per column.
#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/matrix.hpp"
#include "sdk/evaluate/operators/qlinear.hpp"

namespace byoc::evaluate {

Outcome qlinear_matmul(const Call& call) {
  if (call.tflite()) return call.error("QLinearMatMul is an operator of ONNX", "a TFLite graph");
  const Result<MatMulShape> s = read_matmul(call, 0, 3);
  if (!s || !call.same_dtype(0, 2) || !call.same_dtype(3, 5)) return failure;
  const Result<Affine> a = qlinear_tensor(call, 1);
  const Result<FilterScales> b = qlinear_channels(call, 4, s->columns);
  const Result<Affine> out = qlinear_tensor(call, 6);
  if (!a || !b || !out) return failure;
  const Requantiser requantise(Scaling::onnx_literal, a->scale, b->scales, *out, out->range);
  const auto columns = static_cast<std::size_t>(s->columns);
  const std::vector<std::int32_t> left = centred(call.in(0), a->zero_point);
  std::vector<std::int32_t> right = centred(call.in(3), 0);
  for (std::size_t i = 0; i < right.size(); ++i)
    right[i] -= static_cast<std::int32_t>(b->zero_points[b->zero_points.size() == 1 ? 0 : i % columns]);
  std::vector<std::int64_t> y =
      multiply<std::int64_t>(*s, std::span<const std::int32_t>(left), std::span<const std::int32_t>(right));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = requantise(y[i], i % columns);
  return single(from_integers(call, call.in(7).type.dtype, s->out, y));
}

}  // namespace byoc::evaluate
