// Scales and zero points along an axis, and those that are operands of a node, as ONNX's quantisation operators have
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "byoc/codegen.hpp"
#include "byoc/nodes/operand.hpp"
#include "byoc/nodes/verdict.hpp"

namespace byoc::nodes {

struct ElementRange {
  std::int64_t low = 0, high = 0;
};
// The range of i8, u8, i16, u16 and i32; nullopt for other types.
[[nodiscard]] inline std::optional<ElementRange> element_range(DType t) {
  switch (t) {
    case DType::i8: return ElementRange{-128, 127};
    case DType::u8: return ElementRange{0, 255};
    case DType::i16: return ElementRange{-32768, 32767};
    case DType::u16: return ElementRange{0, 65535};
    case DType::i32: return ElementRange{-2147483648LL, 2147483647};
    default: return std::nullopt;
  }
}

// A tensor as [outer, channels, inner] with a scale and a zero point for each channel; one channel: per tensor.
struct AxisScales {
  std::int64_t outer = 1, channels = 1, inner = 1;
  std::vector<float> scales;
  std::vector<std::int32_t> zeros;  // as many as scales
};

// `q` on a tensor of `dims` and `dtype`. Null, with the reason in `why`: counts that do not fit, scales or zero points
// out of range, an element type without a range.
[[nodiscard]] inline std::optional<AxisScales> read_axis_scales(const Quantisation& q, DType dtype,
                                                                const std::vector<std::int64_t>& dims,
                                                                codegen::Verdict& why) {
  const auto range = element_range(dtype);
  if (!range) {
    why = refuse(codegen::Reason::unsupported_dtype,
                 "found " + std::string(to_string(dtype)) + " quantised, expected i8, u8, i16, u16 or i32");
    return std::nullopt;
  }
  AxisScales out;
  const bool per_axis = q.per_axis() && q.scales.size() > 1;
  if (per_axis && static_cast<std::size_t>(q.axis) >= dims.size()) {
    why = refuse(codegen::Reason::unsupported_quantisation,
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
      why = refuse(codegen::Reason::unsupported_quantisation,
                   "found zero point " + std::to_string(zero) + ", expected one of " + std::string(to_string(dtype)));
      return std::nullopt;
    }
    out.zeros.push_back(static_cast<std::int32_t>(zero));
  }
  if (out.zeros.empty()) out.zeros.assign(out.scales.size(), 0);
  if (out.scales.size() != static_cast<std::size_t>(out.channels) || out.zeros.size() != out.scales.size()) {
    why = refuse(codegen::Reason::unsupported_quantisation,
                 "found " + std::to_string(out.scales.size()) + " scales and " + std::to_string(out.zeros.size()) +
                     " zero points, expected " + std::to_string(out.channels));
    return std::nullopt;
  }
  for (const float scale : out.scales) {
    if (std::isfinite(scale) && scale > 0) continue;
    why = refuse(codegen::Reason::unsupported_quantisation,
                 "found scale " + std::to_string(scale) + ", expected a finite number above 0");
    return std::nullopt;
  }
  return out;
}

namespace detail {

template <class T>
std::vector<std::int64_t> widened(const codegen::Value& v) {
  const std::vector<T> elements = constant_elements<T>(v);
  return {elements.begin(), elements.end()};
}

inline std::optional<std::vector<std::int64_t>> whole_numbers(const codegen::Value& v) {
  switch (v.dtype) {
    case DType::i8: return widened<std::int8_t>(v);
    case DType::u8: return widened<std::uint8_t>(v);
    case DType::i16: return widened<std::int16_t>(v);
    case DType::u16: return widened<std::uint16_t>(v);
    case DType::i32: return widened<std::int32_t>(v);
    default: return std::nullopt;
  }
}

inline bool is_constant_vector(const codegen::Value& v) { return v.is_constant && v.dims.size() <= 1; }

}  // namespace detail

// Operands `scale` and `scale + 1` (which may be left off: zeros) as a quantisation: of one element each per tensor
// (axis -1), otherwise along `axis`, which may count from the end of `rank` dims. Null, with the reason in `why`:
// computed operands, element types, shapes.
[[nodiscard]] inline std::optional<Quantisation> read_scale_operands(const codegen::Region& region,
                                                                     const codegen::Node& node, std::size_t scale,
                                                                     std::int64_t axis, std::size_t rank,
                                                                     codegen::Verdict& why) {
  const codegen::Value* scales = given_input(region, node, scale);
  const codegen::Value* zeros = given_input(region, node, scale + 1);
  const auto refused = [&](codegen::Reason reason, std::string text) {
    why = refuse(reason, std::move(text));
    return std::nullopt;
  };
  if (!scales || !detail::is_constant_vector(*scales) || (zeros && !detail::is_constant_vector(*zeros)))
    return refused(codegen::Reason::not_constant,
                   "found a computed scale or zero point, expected constants of one dim at most");
  if (scales->dtype != DType::f32)
    return refused(codegen::Reason::unsupported_dtype,
                   "scale: found " + std::string(to_string(scales->dtype)) + ", expected f32");
  Quantisation q;
  q.scales = constant_elements<float>(*scales);
  if (zeros) {
    const auto numbers = detail::whole_numbers(*zeros);
    if (!numbers)
      return refused(codegen::Reason::unsupported_dtype, "zero point: found " + std::string(to_string(zeros->dtype)) +
                                                             ", expected i8, u8, i16, u16 or i32");
    q.zero_points = *numbers;
  } else {
    q.zero_points.assign(q.scales.size(), 0);
  }
  const std::size_t count = std::max(q.scales.size(), q.zero_points.size());
  // The QLinear operators allow one for all beside one for each.
  if (q.scales.size() == 1) q.scales.resize(count, q.scales[0]);
  if (q.zero_points.size() == 1) q.zero_points.resize(count, q.zero_points[0]);
  if (count == 1) return q;
  const auto dims = static_cast<std::int64_t>(rank);
  if (axis < -dims || axis >= dims)
    return refused(codegen::Reason::unsupported_attribute,
                   "found axis " + std::to_string(axis) + " of a tensor of rank " + std::to_string(rank));
  q.axis = static_cast<std::int32_t>(axis < 0 ? axis + dims : axis);
  return q;
}

}  // namespace byoc::nodes
