// QLinearConv: x, its scale and zero point, w, its own, y's, bias.
#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/convolution.hpp"
#include "sdk/model/evaluate/operators/qlinear.hpp"

namespace byoc::evaluate {

Outcome qlinear_conv(const Call& call) {
  if (call.tflite()) return call.error("QLinearConv is an operator of ONNX", "a TFLite graph");
  const Result<Convolution> c = read_convolution(call, 0, 3);
  if (!c || !call.same_dtype(0, 2) || !call.same_dtype(3, 5)) return failure;
  const Result<Affine> in = qlinear_tensor(call, 1);
  const Result<FilterScales> filter = qlinear_channels(call, 4, c->out.channels);
  const Result<Affine> out = qlinear_tensor(call, 6);
  const Result<std::vector<std::int64_t>> bias = quantised_bias(call, 8);
  if (!in || !filter || !out || !bias) return failure;
  if (call.find(8) != nullptr && *call.in(8).type.dims != Dims{c->out.channels})
    return call.error("the bias must have one element for each output channel", describe(call.in(8)),
                      describe(Dims{c->out.channels}));
  const Requantiser requantise(Scaling::onnx_literal, in->scale, filter->scales, *out, out->range);
  const std::vector<std::int32_t> x = centred(call.in(0), in->zero_point);
  const std::vector<std::int32_t> w = centred_filter(*c, call.in(3), filter->zero_points);
  std::vector<std::int64_t> y = convolve<std::int64_t>(*c, std::span(x), std::span(w));
  for_each_output(*c, [&](std::size_t i, std::size_t channel) {
    y[i] = requantise(y[i] + (bias->empty() ? 0 : (*bias)[channel]), channel);
  });
  return single(from_integers(call, call.in(7).type.dtype, c->out.dims(), y));
}

}  // namespace byoc::evaluate
