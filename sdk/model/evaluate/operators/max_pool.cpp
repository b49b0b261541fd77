// MaxPool and GlobalMaxPool.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/pool.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// The largest number under each window. A NaN is none, as in the reference implementations of ONNX and TFLite; a window
// without a number gives `nothing`.
std::vector<double> largest_of_each(const Pool& pool, const std::vector<double>& x, double nothing) {
  std::vector<double> y;
  for_each_window(pool, [&](std::span<const std::size_t> inside, std::int64_t) {
    double most = nothing;
    for (const std::size_t i : inside) most = x[i] > most ? x[i] : most;
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
  // TFLite moves the integers; its scales may differ by what upstream's check overlooks.
  const bool same =
      call.tflite() ? in->zero_point == out->zero_point : *call.quantisation_of(0) == *call.quantisation_of_output();
  if (!same && call.tflite()) return call.error("a max pool must not change the quantisation");
  const std::vector<double> most = largest_of_each(pool, reals(call.in(0)), static_cast<double>(in->range.low));
  std::vector<std::int64_t> y;
  for (const double m : most) {
    const auto q = static_cast<std::int64_t>(m);
    y.push_back(std::clamp(same ? q : quantise(dequantise(q, *in), *out, Requant::onnx), clamp->low, clamp->high));
  }
  return single(from_integers(call, call.declared()->dtype, pool.out_dims, y));
}

// The position of the largest number of each window, the first of several, in the whole tensor; with storage_order 1 as
// if the spatial dims were stored in the other order. -1 for a window without a number.
std::vector<std::int64_t> places(const Call& call, const Pool& pool, const std::vector<double>& x) {
  const bool columns_first = call.node.integer("storage_order", 0) != 0;
  const Spatial& in = pool.in;
  std::vector<std::int64_t> y;
  for_each_window(pool, [&](std::span<const std::size_t> inside, std::int64_t) {
    std::int64_t place = -1;
    double most = 0;
    for (const std::size_t i : inside) {
      if (std::isnan(x[i]) || (place >= 0 && !(x[i] > most))) continue;
      place = static_cast<std::int64_t>(i);
      most = x[i];
    }
    if (columns_first && place >= 0) {
      const std::int64_t inner = place % in.channel_stride;
      const std::int64_t d = inner / in.stride[0], h = inner / in.stride[1] % in.size[1], w = inner % in.size[2];
      // The first of the dims that the node has runs fastest.
      place = place - inner + d + in.size[0] * (h + in.size[1] * w);
    }
    y.push_back(place);
  });
  return in_layout(pool, y);
}

Outcome with_indices(const Call& call, const Pool& pool, Outcome values) {
  if (!values || call.declared(1) == nullptr) return values;
  if (pool.in.layout != DataLayout::nchw) return call.error("indices need data_layout NCHW");
  Result<Buffer> indices = call.allocate(DType::i64, pool.out_dims, 1);
  if (!indices) return failure;
  const std::vector<std::int64_t> at = places(call, pool, reals(call.in(0)));
  std::copy(at.begin(), at.end(), indices->as<std::int64_t>().begin());
  values->push_back(std::move(*indices).finish());
  return values;
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
  std::vector<double> y = largest_of_each(pool, reals(call.in(0)), nothing);
  for (double& v : y) v = std::clamp(v, bounds->low, bounds->high);
  return single(call.from_reals(dtype, pool.out_dims, y));
}

}  // namespace

Outcome max_pool(const Call& call) {
  const Result<Pool> pool = read_pool(call);
  if (!pool) return failure;
  return with_indices(call, *pool, max_of(call, *pool));
}

Outcome global_max_pool(const Call& call) {
  const Result<Pool> pool = read_global_pool(call);
  if (!pool) return failure;
  return max_of(call, *pool);
}

}  // namespace byoc::evaluate
