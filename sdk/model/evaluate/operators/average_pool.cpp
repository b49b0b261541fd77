// AveragePool: the mean of the elements under each window.
#include <algorithm>
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/pool.hpp"
#include "sdk/model/evaluate/quantise.hpp"
#include "sdk/model/evaluate/sum.hpp"

namespace byoc::evaluate {
namespace {

template <class Real>
Outcome average_float(const Call& call, const Pool& pool) {
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  const std::vector<Real> x = reals<Real>(call.in(0));
  std::vector<Real> y;
  for_each_window(pool, [&](std::span<const std::size_t> inside, std::int64_t count) {
    BlockSum<Real> sum;
    for (const std::size_t i : inside) sum.add(x[i]);
    const Real mean = count == 0 ? 0 : sum.total() / static_cast<Real>(count);
    y.push_back(std::clamp(mean, static_cast<Real>(bounds->low), static_cast<Real>(bounds->high)));
  });
  const std::vector<Real> ordered = in_layout(pool, y);
  return single(call.from_reals(call.in(0).type.dtype, pool.out_dims, ordered));
}

// TFLite: the integers themselves are averaged, rounding half away from zero; quantisation must not change.
Outcome average_tflite(const Call& call, const Pool& pool, const Affine& in, const Affine& out, IntegerRange clamp) {
  constexpr float kOverlooked = 1e-6F;  // a difference of scales that upstream's check lets pass
  if (in.zero_point != out.zero_point || std::fabs(in.scale - out.scale) > kOverlooked)
    return call.error("an average pool must not change the quantisation");
  const std::vector<std::int64_t> x = whole_numbers(call.in(0));
  std::vector<std::int64_t> y;
  for_each_window(pool, [&](std::span<const std::size_t> inside, std::int64_t) {
    const auto count = static_cast<std::int64_t>(inside.size());
    std::int64_t sum = 0;
    for (const std::size_t i : inside) sum += x[i];
    const std::int64_t mean = count == 0 ? out.zero_point : (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
    y.push_back(std::clamp(mean, clamp.low, clamp.high));
  });
  return single(from_integers(call, call.in(0).type.dtype, pool.out_dims, in_layout(pool, y)));
}

// ONNX: dequantise, average in float32, quantise.
Outcome average_onnx(const Call& call, const Pool& pool, const Affine& in, const Affine& out, IntegerRange clamp) {
  const std::vector<std::int64_t> x = whole_numbers(call.in(0));
  std::vector<std::int64_t> y;
  for_each_window(pool, [&](std::span<const std::size_t> inside, std::int64_t count) {
    BlockSum<float> sum;
    for (const std::size_t i : inside) sum.add(dequantise(x[i], in));
    const float mean = count == 0 ? 0 : sum.total() / static_cast<float>(count);
    y.push_back(std::clamp(quantise(mean, out, Requant::onnx), clamp.low, clamp.high));
  });
  return single(from_integers(call, call.declared()->dtype, pool.out_dims, in_layout(pool, y)));
}

Outcome average(const Call& call, const Pool& pool) {
  if (is_float(call.in(0).type.dtype))
    return with_sum_type(call.in(0).type.dtype, [&]<class Real>() { return average_float<Real>(call, pool); });
  if (!is_quantised(call)) return call.unsupported_dtype(0, "a float, or an integer type with quantisation");
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  return call.tflite() ? average_tflite(call, pool, *in, *out, *clamp) : average_onnx(call, pool, *in, *out, *clamp);
}

}  // namespace

Outcome average_pool(const Call& call) {
  const Result<Pool> pool = read_pool(call);
  if (!pool) return failure;
  return average(call, *pool);
}

Outcome global_average_pool(const Call& call) {
  const Result<Pool> pool = read_global_pool(call);
  if (!pool) return failure;
  return average(call, *pool);
}

}  // namespace byoc::evaluate
