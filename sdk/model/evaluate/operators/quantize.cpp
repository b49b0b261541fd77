// byoc.Quantize and byoc.Dequantize: between real and quantised tensors, and from one quantisation to another.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/operators/quantised_axis.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

// TFLite's requantisation also reads and writes i32.
Result<Affine> affine_of(const Call& call, const ir::TensorType& type, std::size_t input, bool is_input) {
  if (type.dtype != DType::i32 || !call.tflite()) return is_input ? affine_input(call, input) : affine_output(call);
  const Result<AxisQuantisation> q = axis_quantisation(call, *type.quantisation, DType::i32, *call.in(0).type.dims);
  if (!q) return failure;
  if (type.quantisation->per_axis()) return call.error("an i32 tensor must be quantised per tensor");
  return q->at(0);
}

Outcome requantise(const Call& call) {
  const Result<Affine> in = affine_of(call, call.in(0).type, 0, true);
  const Result<Affine> out = affine_of(call, *call.declared(), 0, false);
  if (!in || !out) return failure;
  const Multiplier m = quantise_multiplier(static_cast<double>(in->scale) / static_cast<double>(out->scale));
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    if (call.tflite())
      // Overflow of 32 bits, possible with i32 only, is undefined in upstream's kernel; here the result saturates after
      // the multiplication.
      v = std::clamp(multiply_by_quantised(static_cast<std::int32_t>(v - in->zero_point), m) + out->zero_point,
                     out->range.low, out->range.high);
    else
      v = quantise(dequantise(v, *in), *out, Requant::onnx);
  }
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

}  // namespace

Outcome byoc_quantize(const Call& call) {
  if (is_quantised(call)) return requantise(call);
  const ir::TensorType* type = call.declared();
  if (call.in(0).type.dtype != DType::f32) return call.unsupported_dtype(0, "f32, or a quantised integer");
  if (type == nullptr || !type->quantisation) return call.error("output 0 is not quantised");
  const Result<AxisQuantisation> q = axis_quantisation(call, *type->quantisation, type->dtype, *call.in(0).type.dims);
  if (!q) return failure;
  const std::span<const float> x = elements<float>(call.in(0));
  std::vector<std::int64_t> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = quantise(x[i], q->at(i), call.graph.requant);
  return single(from_integers(call, type->dtype, *call.in(0).type.dims, y));
}

Outcome byoc_dequantize(const Call& call) {
  const Tensor& x = call.in(0);
  if (!x.type.quantisation) return call.error("input 0 is not quantised", describe(x));
  const Result<AxisQuantisation> q = axis_quantisation(call, *x.type.quantisation, x.type.dtype, *x.type.dims);
  if (!q) return failure;
  const std::vector<std::int64_t> values = whole_numbers(x);
  Result<Buffer> y = call.allocate(DType::f32, *x.type.dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Affine& from = q->at(i);
    // TFLite multiplies in double and rounds once, ONNX in float32.
    const double exact = static_cast<double>(from.scale) * static_cast<double>(values[i] - from.zero_point);
    y->as<float>()[i] = call.tflite() ? static_cast<float>(exact) : dequantise(values[i], from);
  }
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
