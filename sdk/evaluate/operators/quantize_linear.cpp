// QuantizeLinear and DequantizeLinear, as ONNX defines them: per tensor or per axis, scale and zero point as operands.
#include "sdk/evaluate/operators.hpp"
#include "sdk/evaluate/operators/quantised_axis.hpp"

namespace byoc::evaluate {
namespace {

// Operands 1 and 2 as a quantisation of a tensor of shape `dims`. A scale of one element is per tensor.
Result<Quantisation> read_parameters(const Call& call, const Dims& dims) {
  if (call.in(1).type.dtype != DType::f32) return call.unsupported_dtype(1, "f32");
  const std::span<const float> scales = elements<float>(call.in(1));
  Quantisation q;
  q.scales.assign(scales.begin(), scales.end());
  if (call.in(1).type.dims->size() > 1)
    return call.error("the scale must be a scalar or a vector", describe(call.in(1)));
  if (call.in(1).type.dims->size() == 1 && scales.size() != 1) {
    const Result<std::size_t> axis = call.axis(call.node.integer("axis", 1), dims.size());
    if (!axis) return failure;
    q.axis = static_cast<std::int32_t>(*axis);
  }
  if (call.find(2) != nullptr)
    q.zero_points = whole_numbers(call.in(2));
  else
    q.zero_points.assign(q.scales.size(), 0);
  return q;
}

}  // namespace

Outcome quantize_linear(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  const DType dtype = call.find(2) != nullptr ? call.in(2).type.dtype : DType::u8;
  const Result<Quantisation> parameters = read_parameters(call, dims);
  if (!parameters) return failure;
  const Result<AxisQuantisation> q = axis_quantisation(call, *parameters, dtype, dims);
  if (!q) return failure;
  std::vector<std::int64_t> y;
  if (x.type.dtype == DType::f32) {
    for (const float v : elements<float>(x)) y.push_back(quantise(v, q->at(y.size()), Requant::onnx));
  } else if (x.type.dtype == DType::i32) {
    for (const std::int32_t v : elements<std::int32_t>(x))
      y.push_back(quantise(static_cast<float>(v), q->at(y.size()), Requant::onnx));
  } else {
    return call.unsupported_dtype(0, "f32 or i32");
  }
  return single(from_integers(call, dtype, dims, y));
}

Outcome dequantize_linear(const Call& call) {
  const Tensor& x = call.in(0);
  const Dims& dims = *x.type.dims;
  if (call.find(2) != nullptr && !call.same_dtype(0, 2)) return failure;
  const Result<Quantisation> parameters = read_parameters(call, dims);
  if (!parameters) return failure;
  const Result<AxisQuantisation> q = axis_quantisation(call, *parameters, x.type.dtype, dims);
  if (!q) return failure;
  const std::vector<std::int64_t> values = whole_numbers(x);
  Result<Buffer> y = call.allocate(DType::f32, dims);
  if (!y) return failure;
  for (std::size_t i = 0; i < values.size(); ++i) y->as<float>()[i] = dequantise(values[i], q->at(i));
  return single(std::move(*y));
}

}  // namespace byoc::evaluate
