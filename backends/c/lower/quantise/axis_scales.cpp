#include "backends/c/lower/quantise/axis_scales.hpp"

#include <cmath>

#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {

using codegen::Reason;

std::optional<ElementRange> element_range(DType t) {
  switch (t) {
    case DType::i8: return ElementRange{-128, 127};
    case DType::u8: return ElementRange{0, 255};
    case DType::i16: return ElementRange{-32768, 32767};
    case DType::u16: return ElementRange{0, 65535};
    case DType::i32: return ElementRange{-2147483648LL, 2147483647};
    default: return std::nullopt;
  }
}

std::optional<AxisScales> read_axis_scales(const Quantisation& q, DType dtype, const std::vector<std::int64_t>& dims,
                                           codegen::Verdict& why) {
  const auto range = element_range(dtype);
  if (!range) {
    why = refuse(Reason::unsupported_dtype,
                 "found " + std::string(to_string(dtype)) + " quantised, expected i8, u8, i16, u16 or i32");
    return std::nullopt;
  }
  AxisScales out;
  const bool per_axis = q.per_axis() && q.scales.size() > 1;
  if (per_axis && static_cast<std::size_t>(q.axis) >= dims.size()) {
    why = refuse(Reason::unsupported_quantisation,
                 "found axis " + std::to_string(q.axis) + " of a tensor of rank " + std::to_string(dims.size()));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool before = per_axis && i < static_cast<std::size_t>(q.axis);
    const bool at = per_axis && i == static_cast<std::size_t>(q.axis);
    (before ? out.outer : at ? out.channels : out.inner) *= dims[i];
  }
  out.scales = q.scales;
  for (const std::int64_t zero : q.zero_points) {
    if (zero < range->low || zero > range->high) {
      why = refuse(Reason::unsupported_quantisation,
                   "found zero point " + std::to_string(zero) + ", expected one of " + std::string(to_string(dtype)));
      return std::nullopt;
    }
    out.zeros.push_back(static_cast<std::int32_t>(zero));
  }
  if (out.zeros.empty()) out.zeros.assign(out.scales.size(), 0);
  if (out.scales.size() != static_cast<std::size_t>(out.channels) || out.zeros.size() != out.scales.size()) {
    why = refuse(Reason::unsupported_quantisation, "found " + std::to_string(out.scales.size()) + " scales and " +
                                                       std::to_string(out.zeros.size()) + " zero points, expected " +
                                                       std::to_string(out.channels));
    return std::nullopt;
  }
  for (const float scale : out.scales) {
    if (std::isfinite(scale) && scale > 0) continue;
    why = refuse(Reason::unsupported_quantisation,
                 "found scale " + std::to_string(scale) + ", expected a finite number above 0");
    return std::nullopt;
  }
  return out;
}

std::string emit_axis_scales(Emitter& emitter, std::string_view stem, std::string_view name, const AxisScales& s) {
  const std::string base(stem);
  return ParameterText()
      .add("outer", s.outer)
      .add("channels", s.channels)
      .add("inner", s.inner)
      .add("scale", emitter.constant<float>(base + "_scale", s.scales, false))
      .add("zero", emitter.constant<std::int32_t>(base + "_zero", s.zeros, false))
      .definition("byoc_scales_t", name);
}

}  // namespace byoc::c
