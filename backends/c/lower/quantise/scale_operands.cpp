#include "backends/c/lower/quantise/scale_operands.hpp"

#include <cmath>
#include <sstream>

#include "backends/c/lower/step/constants.hpp"
#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"

namespace byoc::c {
namespace {

using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

template <class T>
std::vector<std::int64_t> widened(const Value& v) {
  const std::vector<T> elements = constant_elements<T>(v);
  return {elements.begin(), elements.end()};
}

std::optional<std::vector<std::int64_t>> whole_numbers(const Value& v) {
  switch (v.dtype) {
    case DType::i8: return widened<std::int8_t>(v);
    case DType::u8: return widened<std::uint8_t>(v);
    case DType::i16: return widened<std::int16_t>(v);
    case DType::u16: return widened<std::uint16_t>(v);
    case DType::i32: return widened<std::int32_t>(v);
    default: return std::nullopt;
  }
}

bool is_constant_vector(const Value& v) { return v.is_constant && v.dims.size() <= 1; }

}  // namespace

std::optional<Quantisation> read_scale_operands(const Region& region, const Node& node, std::size_t scale,
                                                std::int64_t axis, std::size_t rank, codegen::Verdict& why) {
  const Value* scales = given_input(region, node, scale);
  const Value* zeros = given_input(region, node, scale + 1);
  const auto refused = [&](Reason reason, std::string text) {
    why = refuse(reason, std::move(text));
    return std::nullopt;
  };
  if (!scales || !is_constant_vector(*scales) || (zeros && !is_constant_vector(*zeros)))
    return refused(Reason::not_constant, "found a computed scale or zero point, expected constants of one dim at most");
  if (scales->dtype != DType::f32)
    return refused(Reason::unsupported_dtype,
                   "scale: found " + std::string(to_string(scales->dtype)) + ", expected f32");
  Quantisation q;
  q.scales = constant_elements<float>(*scales);
  if (zeros) {
    const auto numbers = whole_numbers(*zeros);
    if (!numbers)
      return refused(Reason::unsupported_dtype, "zero point: found " + std::string(to_string(zeros->dtype)) +
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
    return refused(Reason::unsupported_attribute,
                   "found axis " + std::to_string(axis) + " of a tensor of rank " + std::to_string(rank));
  q.axis = static_cast<std::int32_t>(axis < 0 ? axis + dims : axis);
  return q;
}

std::optional<codegen::Verdict> refuse_bad_scale(const Value& scale) {
  if (!scale.is_constant || !element_type(scale.dtype)) return std::nullopt;
  for (std::size_t i = 0; i < static_cast<std::size_t>(scale.elements()); ++i) {
    const double v = real_element(scale, i);
    if (std::isfinite(v) && v > 0) continue;
    std::ostringstream text;
    text << "found a scale of " << v << ", expected a finite number above 0";
    return refuse(Reason::unsupported_quantisation, text.str());
  }
  return std::nullopt;
}

std::optional<codegen::Verdict> refuse_qlinear_types(const Region& region, const Node& node) {
  for (const std::size_t i : {0, 3, 7}) {
    const DType t = region.values[node.inputs[i]].dtype;
    if (t != DType::i8 && t != DType::u8 && t != DType::i16 && t != DType::u16)
      return refuse_dtype(t, "i8, u8, i16 or u16");
  }
  for (const std::size_t i : {1, 4, 6}) {
    const Value& scale = region.values[node.inputs[i]];
    if (scale.dtype != DType::f32) return refuse_dtype(scale.dtype, "a scale of f32");
    if (auto no = refuse_bad_scale(scale)) return no;
  }
  return std::nullopt;
}

}  // namespace byoc::c
