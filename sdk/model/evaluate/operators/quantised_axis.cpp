#include "sdk/model/evaluate/operators/quantised_axis.hpp"

#include <cmath>

namespace byoc::evaluate {

Result<AxisQuantisation> axis_quantisation(const Call& call, const Quantisation& q, DType dtype, const Dims& dims) {
  if (!is_integer(dtype) || bit_width(dtype) > 32 || dtype == DType::u32)
    return call.error("a quantised tensor cannot have this element type", std::string(to_string(dtype)),
                      "i8, u8, i16, u16 or i32");
  std::size_t count = 1;
  std::size_t inner = 1;
  if (q.per_axis()) {
    if (static_cast<std::size_t>(q.axis) >= dims.size())
      return call.error("the quantised axis is out of range", std::to_string(q.axis), describe(dims));
    count = static_cast<std::size_t>(dims[static_cast<std::size_t>(q.axis)]);
    for (std::size_t d = static_cast<std::size_t>(q.axis) + 1; d < dims.size(); ++d)
      inner *= static_cast<std::size_t>(dims[d]);
  }
  if (q.scales.size() != count || q.zero_points.size() != count)
    return call.error(
        "the quantisation does not fit the tensor",
        std::to_string(q.scales.size()) + " scales and " + std::to_string(q.zero_points.size()) + " zero points",
        std::to_string(count));
  const IntegerRange range = integer_range(dtype);
  std::vector<Affine> parameters;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(q.scales[i]) || q.scales[i] <= 0)
      return call.error("a scale is out of range", std::to_string(q.scales[i]), "a positive finite number");
    if (q.zero_points[i] < range.low || q.zero_points[i] > range.high)
      return call.error("a zero point is outside its element type", std::to_string(q.zero_points[i]));
    parameters.push_back({q.scales[i], q.zero_points[i], range});
  }
  return AxisQuantisation(std::move(parameters), inner);
}

}  // namespace byoc::evaluate
