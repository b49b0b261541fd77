// MatMul, float, integer or quantised.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/matrix.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

template <class Real>
Outcome matmul_float(const Call& call, const MatMulShape& s) {
  if (!call.same_dtype(0, 1)) return failure;
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  const std::vector<Real> a = reals<Real>(call.in(0));
  const std::vector<Real> b = reals<Real>(call.in(1));
  std::vector<Real> y = multiply<Real>(s, std::span(a), std::span(b));
  for (Real& v : y) v = std::clamp(v, static_cast<Real>(bounds->low), static_cast<Real>(bounds->high));
  return single(call.from_reals(call.in(0).type.dtype, s.out, y));
}

// The right operand may be quantised per column.
Outcome matmul_quantised(const Call& call, const MatMulShape& s) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  const std::size_t rank = call.in(1).type.dims->size();
  const Result<FilterScales> weights = filter_scales(call, 1, rank - 1, s.columns);
  if (!weights) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  const Requantiser requantise(call.tflite() ? Scaling::tflite : Scaling::onnx, in->scale, weights->scales, *out,
                               *clamp);
  const std::vector<std::int32_t> a = centred(call.in(0), in->zero_point);
  std::vector<std::int32_t> b = centred(call.in(1), 0);
  const auto columns = static_cast<std::size_t>(s.columns);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] -= static_cast<std::int32_t>(weights->zero_points[weights->zero_points.size() == 1 ? 0 : i % columns]);
  std::vector<std::int64_t> y =
      multiply<std::int64_t>(s, std::span<const std::int32_t>(a), std::span<const std::int32_t>(b));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = requantise(y[i], i % columns);
  return single(from_integers(call, call.declared()->dtype, s.out, y));
}

// Plain integers wrap around: computed unsigned, where that is defined.
Outcome matmul_integer(const Call& call, const MatMulShape& s) {
  if (!call.same_dtype(0, 1)) return failure;
  Result<Buffer> y = call.allocate(call.in(0).type.dtype, s.out);
  if (!y) return failure;
  (void)dispatch(call.in(0).type.dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
      const std::vector<std::uint64_t> out =
          multiply<std::uint64_t>(s, elements<T>(call.in(0)), elements<T>(call.in(1)));
      for (std::size_t i = 0; i < out.size(); ++i) y->as<T>()[i] = static_cast<T>(out[i]);
    }
  });
  return single(std::move(*y));
}

}  // namespace

Outcome matmul(const Call& call) {
  const Result<MatMulShape> s = read_matmul(call, 0, 1);
  if (!s) return failure;
  const DType dtype = call.in(0).type.dtype;
  if (is_float(dtype)) return with_sum_type(dtype, [&]<class Real>() { return matmul_float<Real>(call, *s); });
  if (is_quantised(call)) return matmul_quantised(call, *s);
  if (dtype == DType::i32 || dtype == DType::i64 || dtype == DType::u32 || dtype == DType::u64)
    return matmul_integer(call, *s);
  return call.unsupported_dtype(0, "a float, a 32- or 64-bit integer, or an integer type with quantisation");
}

}  // namespace byoc::evaluate
