// TFLite's quantised ABS.
#include <algorithm>
#include <cstdlib>

#include "sdk/model/evaluate/operators/unary_tflite.hpp"
#include "sdk/model/evaluate/quantise.hpp"

namespace byoc::evaluate {

Outcome abs_tflite(const Call& call) {
  const Result<Affine> in = affine_input(call, 0), out = affine_output(call);
  if (!in || !out) return failure;
  // Scales are combined in float32 here.
  const Multiplier m = quantise_multiplier(static_cast<double>(in->scale / out->scale));
  std::vector<std::int64_t> values = whole_numbers(call.in(0));
  for (std::int64_t& v : values) {
    const auto magnitude = static_cast<std::int32_t>(std::abs(v - in->zero_point));
    v = std::clamp(out->zero_point + multiply_by_quantised(magnitude, m), out->range.low, out->range.high);
  }
  return single(from_integers(call, call.declared()->dtype, *call.in(0).type.dims, values));
}

}  // namespace byoc::evaluate
