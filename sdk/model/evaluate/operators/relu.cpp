// Relu.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

Outcome relu_quantised(const Call& call) {
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  // TFLite combines the scales in float32 here, unlike in most operators.
  const Multiplier factor = quantise_multiplier(static_cast<double>(in->scale / out->scale));
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    if (call.tflite())
      v = std::clamp(out->zero_point + multiply_by_quantised(static_cast<std::int32_t>(v - in->zero_point), factor),
                     out->zero_point, out->range.high);
    else
      v = quantise(std::max(dequantise(v, *in), 0.0F), *out, Requant::onnx);
  }
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

}  // namespace

Outcome relu(const Call& call) {
  if (is_quantised(call)) return relu_quantised(call);
  const Tensor& x = call.in(0);
  Result<Buffer> y = call.allocate(x.type.dtype, *x.type.dims);
  if (!y) return failure;
  const bool known = dispatch(x.type.dtype, [&]<class T>() {
    const std::span<const T> in = elements<T>(x);
    const std::span<T> out = y->as<T>();
    // NaN stays NaN.
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = widen(in[i]) < 0 ? narrow<T>(0) : in[i];
  });
  if (!known) return call.unsupported_dtype(0, "a number");
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
