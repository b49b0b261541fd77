// Conv: 1-D to 3-D, float or quantised.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/convolution.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

Result<void> check_bias(const Call& call, const Convolution& c) {
  if (call.find(2) == nullptr || *call.in(2).type.dims == Dims{c.out.channels}) return {};
  return call.error("the bias must have one element for each output channel", describe(call.in(2)),
                    describe(Dims{c.out.channels}));
}

template <class Real>
Outcome conv_float(const Call& call, const Convolution& c) {
  if (!call.same_dtype(0, 1)) return failure;
  if (call.find(2) != nullptr && !call.same_dtype(0, 2)) return failure;
  const Result<Bounds> bounds = activation_bounds(call);
  if (!bounds) return failure;
  const std::vector<Real> x = reals<Real>(call.in(0));
  const std::vector<Real> w = reals<Real>(call.in(1));
  std::vector<Real> y = convolve<Real>(c, std::span(x), std::span(w));
  const std::vector<Real> bias = call.find(2) != nullptr ? reals<Real>(call.in(2)) : std::vector<Real>{};
  for_each_output(c, [&](std::size_t i, std::size_t channel) {
    if (!bias.empty()) y[i] += bias[channel];
    y[i] = std::clamp(y[i], static_cast<Real>(bounds->low), static_cast<Real>(bounds->high));
  });
  return single(call.from_reals(call.in(0).type.dtype, c.out.dims(), y));
}

Outcome conv_quantised(const Call& call, const Convolution& c) {
  Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  Result<FilterScales> filter = filter_scales(call, 1, c.filter_out_axis, c.out.channels);
  const Result<std::vector<std::int64_t>> bias = quantised_bias(call, 2);
  if (!filter || !bias) return failure;
  const Result<IntegerRange> clamp = activation_range(call, *out);
  if (!clamp) return failure;
  round_products(call, *in, *filter);
  // TFLite's depthwise kernel reads the bias of 16-bit activations as int64 whatever its type; CONV_2D looks at it.
  const bool narrow_bias = call.find(2) != nullptr && call.in(2).type.dtype == DType::i32 &&
                           call.node.text("filter_layout", "OIHW") != "IHWO";
  const bool wide = call.in(0).type.dtype == DType::i16 && !narrow_bias;
  const Scaling scaling = !call.tflite() ? onnx_scaling(call, 0, 1) : wide ? Scaling::tflite_wide : Scaling::tflite;
  const Requantiser requantise(scaling, in->scale, filter->scales, *out, *clamp);

  const std::vector<std::int32_t> x = centred(call.in(0), in->zero_point);
  const std::vector<std::int32_t> w = centred_filter(c, call.in(1), filter->zero_points);
  std::vector<std::int64_t> y = convolve<std::int64_t>(c, std::span(x), std::span(w));
  for_each_output(c, [&](std::size_t i, std::size_t channel) {
    y[i] = requantise(y[i] + (bias->empty() ? 0 : (*bias)[channel]), channel);
  });
  return single(from_integers(call, call.declared()->dtype, c.out.dims(), y));
}

}  // namespace

Outcome conv(const Call& call) {
  const Result<Convolution> c = read_convolution(call, 0, 1);
  if (!c || !check_bias(call, *c)) return failure;
  if (is_float(call.in(0).type.dtype))
    return with_sum_type(call.in(0).type.dtype, [&]<class Real>() { return conv_float<Real>(call, *c); });
  if (is_quantised(call)) return conv_quantised(call, *c);
  return call.unsupported_dtype(0, "a float, or an integer type with quantisation");
}

}  // namespace byoc::evaluate
