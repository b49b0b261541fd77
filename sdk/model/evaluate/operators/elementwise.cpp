#include "sdk/model/evaluate/operators/elementwise.hpp"

#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {
namespace {

Outcome map_quantised(const Call& call, const std::function<double(double)>& f) {
  if (call.tflite()) return call.unsupported_dtype(0, "a float: TFLite has no such kernel for integers");
  const Result<Affine> in = affine_input(call, 0);
  const Result<Affine> out = affine_output(call);
  if (!in || !out) return failure;
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values)
    v = quantise(static_cast<float>(f(static_cast<double>(dequantise(v, *in)))), *out, Requant::onnx);
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

}  // namespace

Outcome map_reals(const Call& call, const std::function<double(double)>& f) {
  if (is_quantised(call)) return map_quantised(call, f);
  if (!is_float(call.in(0).type.dtype)) return call.unsupported_dtype(0, "a float");
  std::vector<double> values = reals(call.in(0));
  for (double& v : values) v = f(v);
  return single(call.from_reals(call.in(0).type.dtype, *call.in(0).type.dims, values));
}

}  // namespace byoc::evaluate
