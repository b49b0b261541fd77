// byoc.AddN: TFLite's sum of any number of int8 operands with one quantisation.
#include <algorithm>

#include "sdk/model/evaluate/operators.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

// Operands are halved with 20 bits more, added, and requantised; the sum wraps like the reference's int32. It starts
// with what an integer 0 stands for, not with nothing: one operand too many, which shows wherever the zero point is not
// 0.
Outcome add_n(const Call& call) {
  const Result<Affine> in = affine_input(call, 0), out = affine_output(call);
  if (!in || !out) return failure;
  if (!call.tflite() || call.in(0).type.dtype != DType::i8) return call.unsupported_dtype(0, "i8 of a TFLite model");
  const double twice = 2 * static_cast<double>(in->scale);
  const Multiplier half = quantise_multiplier(static_cast<double>(in->scale) / twice);
  const Multiplier result = quantise_multiplier(twice / ((1 << 20) * static_cast<double>(out->scale)));
  const auto halved = [&](std::int32_t x) { return multiply_by_quantised(x * (1 << 20), half); };
  std::vector<std::int64_t> sums(static_cast<std::size_t>(call.in(0).type.elements()),
                                 halved(static_cast<std::int32_t>(-in->zero_point)));
  for (std::size_t k = 0; k < call.count(); ++k) {
    if (call.find(k) == nullptr) return call.error("input " + std::to_string(k) + " is missing");
    const Quantisation* q = call.quantisation_of(k);
    if (call.in(k).type.dtype != DType::i8 || q == nullptr) return call.unsupported_dtype(k, "quantised i8");
    if (call.in(k).type.dims != call.in(0).type.dims || *q != *call.quantisation_of(0))
      return call.error("the inputs must have one shape and quantisation", describe(call.in(k)), describe(call.in(0)));
    const std::vector<std::int32_t> x = centred(call.in(k), in->zero_point);
    for (std::size_t i = 0; i < x.size(); ++i) sums[i] += halved(x[i]);
  }
  for (std::int64_t& s : sums)
    s = std::clamp(multiply_by_quantised(static_cast<std::int32_t>(s), result) + out->zero_point, out->range.low,
                   out->range.high);
  return single(from_integers(call, DType::i8, *call.in(0).type.dims, sums));
}

}  // namespace byoc::evaluate
