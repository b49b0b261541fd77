// byoc.FullyConnected: x as [rows, depth] times w [units, depth] transposed, plus bias.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

struct DenseShape {
  std::int64_t rows, depth, units;
  Dims out;
};

Result<DenseShape> read_dense_shape(const Call& call) {
  const Dims& x = *call.in(0).type.dims;
  const Dims& w = *call.in(1).type.dims;
  if (w.size() != 2) return call.error("the weights must have rank 2", describe(call.in(1)), "[units,depth]");
  DenseShape s{0, w[1], w[0], {}};
  const std::int64_t count = call.in(0).type.elements();
  if (s.depth < 1 || count % s.depth != 0)
    return call.error("the input does not divide into rows of the weights' depth", describe(call.in(0)),
                      "a multiple of " + std::to_string(s.depth) + " elements");
  s.rows = count / s.depth;
  if (call.node.integer("keep_num_dims", 0) != 0) {
    if (x.empty() || x.back() != s.depth)
      return call.error("keep_num_dims needs an input whose last dim is the depth", describe(call.in(0)),
                        std::to_string(s.depth));
    s.out = x;
    s.out.back() = s.units;
  } else {
    s.out = {s.rows, s.units};
  }
  if (call.find(2) != nullptr && *call.in(2).type.dims != Dims{s.units})
    return call.error("the bias must have one element for each unit", describe(call.in(2)), describe(Dims{s.units}));
  if (!call.check_count(s.out)) return failure;
  return s;
}

// f(sum, unit) makes an output element of a sum of products.
template <class Sum, class T, class F>
std::vector<Sum> dense_products(const DenseShape& s, std::span<const T> x, std::span<const T> w, F&& f) {
  std::vector<Sum> y(static_cast<std::size_t>(s.rows * s.units));
  for (std::int64_t r = 0; r < s.rows; ++r)
    for (std::int64_t u = 0; u < s.units; ++u) {
      Sum sum{0};
      for (std::int64_t d = 0; d < s.depth; ++d)
        sum += static_cast<Sum>(x[static_cast<std::size_t>(r * s.depth + d)]) *
               static_cast<Sum>(w[static_cast<std::size_t>(u * s.depth + d)]);
      y[static_cast<std::size_t>(r * s.units + u)] = f(sum, static_cast<std::size_t>(u));
    }
  return y;
}

template <class Real>
Outcome dense_float(const Call& call, const DenseShape& s) {
  if (!call.same_dtype(0, 1)) return failure;
  if (call.find(2) != nullptr && !call.same_dtype(0, 2)) return failure;
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  const auto low = static_cast<Real>(bounds->low);
  const auto high = static_cast<Real>(bounds->high);
  const std::vector<Real> x = reals<Real>(call.in(0));
  const std::vector<Real> w = reals<Real>(call.in(1));
  const std::vector<Real> bias = call.find(2) != nullptr ? reals<Real>(call.in(2)) : std::vector<Real>{};
  const std::vector<Real> y = dense_products<Real>(s, std::span(x), std::span(w), [&](Real sum, std::size_t unit) {
    return std::clamp(sum + (bias.empty() ? 0 : bias[unit]), low, high);
  });
  return single(call.from_reals(call.in(0).type.dtype, s.out, y));
}

Outcome dense_quantised(const Call& call, const DenseShape& s) {
  Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  Result<FilterScales> weights = filter_scales(call, 1, 0, s.units);
  const Result<std::vector<std::int64_t>> bias = quantised_bias(call, 2);
  if (!weights || !bias) return failure;
  round_products(call, *in, *weights);
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  const bool narrow_bias = call.find(2) != nullptr && call.in(2).type.dtype == DType::i32;
  const bool wide = call.in(0).type.dtype == DType::i16 && !narrow_bias;
  const Scaling scaling = !call.tflite() ? onnx_scaling(call, 0, 1) : wide ? Scaling::tflite_wide : Scaling::tflite;
  const Requantiser requantise(scaling, in->scale, weights->scales, *out, *clamp);
  const std::vector<std::int32_t> x = centred(call.in(0), in->zero_point);
  std::vector<std::int32_t> w = centred(call.in(1), 0);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::size_t unit = i / static_cast<std::size_t>(s.depth);
    w[i] -= static_cast<std::int32_t>(weights->zero_points[weights->zero_points.size() == 1 ? 0 : unit]);
  }
  const std::vector<std::int64_t> y = dense_products<std::int64_t>(
      s, std::span<const std::int32_t>(x), std::span<const std::int32_t>(w),
      [&](std::int64_t sum, std::size_t unit) { return requantise(sum + (bias->empty() ? 0 : (*bias)[unit]), unit); });
  return single(from_integers(call, call.declared()->dtype, s.out, y));
}

}  // namespace

Outcome fully_connected(const Call& call) {
  const Result<DenseShape> s = read_dense_shape(call);
  if (!s) return failure;
  if (is_float(call.in(0).type.dtype))
    return with_sum_type(call.in(0).type.dtype, [&]<class Real>() { return dense_float<Real>(call, *s); });
  if (is_quantised(call)) return dense_quantised(call, *s);
  return call.unsupported_dtype(0, "a float, or an integer type with quantisation");
}

}  // namespace byoc::evaluate
