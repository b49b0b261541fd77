// byoc.FakeQuantize: an element rounded to a multiple of `scale` from `offset`, halves away from it; each operation in
// the element's own precision, 16-bit floats in float32.
#include <cmath>

#include "sdk/model/evaluate/operators.hpp"

namespace byoc::evaluate {
namespace {

template <class Real>
std::vector<Real> fake_quantised(std::vector<Real> x, Real scale, Real offset) {
  for (Real& v : x) v = std::round((v - offset) * (Real{1} / scale)) * scale + offset;
  return x;
}

}  // namespace

Outcome fake_quantize(const Call& call) {
  const Tensor& x = call.in(0);
  if (!is_float(x.type.dtype)) return call.unsupported_dtype(0, "a float");
  const float scale = call.node.real("scale", 1), offset = call.node.real("offset", 0);
  if (!(scale > 0)) return call.error("attribute scale is out of range", std::to_string(scale), "above 0");
  if (x.type.dtype == DType::f64)
    return single(call.from_reals(
        x.type.dtype, *x.type.dims,
        std::span<const double>(fake_quantised(reals(x), static_cast<double>(scale), static_cast<double>(offset)))));
  std::vector<float> narrow;
  for (const double v : reals(x)) narrow.push_back(static_cast<float>(v));
  return single(call.from_reals(x.type.dtype, *x.type.dims,
                                std::span<const float>(fake_quantised(std::move(narrow), scale, offset))));
}

}  // namespace byoc::evaluate
