// MaxPool and GlobalMaxPool.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/pool.hpp"
#include "sdk/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// The largest value under each window, NaN if there is one; a window of padding alone gives `nothing`.
std::vector<double> largest(const Pool& pool, const std::vector<double>& x, double nothing) {
  std::vector<double> y;
  for_each_window(pool, [&](std::span<const std::size_t> inside, std::int64_t) {
    double most = inside.empty() ? nothing : x[inside[0]];
    for (const std::size_t i : inside) most = x[i] > most || std::isnan(x[i]) ? x[i] : most;
    y.push_back(most);
  });
  return in_layout(pool, y);
}

Outcome max_quantised(const Call& call, const Pool& pool) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  const bool same = *call.quantisation_of(0) == *call.quantisation_of_output();
  if (!same && call.tflite()) return call.error("a max pool must not change the quantisation");
  const std::vector<double> most = largest(pool, reals(call.in(0)), static_cast<double>(in->range.low));
  std::vector<std::int64_t> y;
  for (const double m : most) {
    const auto q = static_cast<std::int64_t>(m);
    y.push_back(std::clamp(same ? q : quantise(dequantise(q, *in), *out, Requant::onnx), clamp->low, clamp->high));
  }
  return single(from_integers(call, call.declared()->dtype, pool.out.dims(), y));
}

Outcome max_of(const Call& call, const Pool& pool) {
  if (is_quantised(call)) return max_quantised(call, pool);
  const DType dtype = call.in(0).type.dtype;
  const bool small = dtype == DType::i8 || dtype == DType::u8;
  if (!is_float(dtype) && !small) return call.unsupported_dtype(0, "a float, i8 or u8");
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  const double nothing =
      small ? static_cast<double>(integer_range(dtype).low) : -std::numeric_limits<double>::infinity();
  std::vector<double> y = largest(pool, reals(call.in(0)), nothing);
  for (double& v : y) v = std::isnan(v) ? v : std::clamp(v, bounds->low, bounds->high);
  return single(call.from_reals(dtype, pool.out.dims(), y));
}

}  // namespace

Outcome max_pool(const Call& call) {
  const Result<Pool> pool = read_pool(call);
  if (!pool) return failure;
  return max_of(call, *pool);
}

Outcome global_max_pool(const Call& call) {
  const Result<Pool> pool = read_global_pool(call);
  if (!pool) return failure;
  return max_of(call, *pool);
}

}  // namespace byoc::evaluate
