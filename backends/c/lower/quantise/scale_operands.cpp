#include "backends/c/lower/quantise/scale_operands.hpp"

#include <cmath>
#include <sstream>

#include "backends/c/lower/step/element_type.hpp"
#include "backends/c/lower/step/operands.hpp"
#include "byoc/nodes/operand.hpp"

namespace byoc::c {
using codegen::Node;
using codegen::Reason;
using codegen::Region;
using codegen::Value;

std::optional<codegen::Verdict> refuse_bad_scale(const Value& scale, ScaleRange range) {
  if (!scale.is_constant || !element_type(scale.dtype)) return std::nullopt;
  for (std::size_t i = 0; i < static_cast<std::size_t>(scale.elements()); ++i) {
    const double v = real_element(scale, i);
    const bool fits = range == ScaleRange::positive ? v > 0 : range == ScaleRange::finite || v != 0;
    if (std::isfinite(v) && fits) continue;
    std::ostringstream text;
    text << "found a scale of " << v << ", expected a finite number"
         << (range == ScaleRange::positive  ? " above 0"
             : range == ScaleRange::divisor ? " other than 0"
                                            : "");
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
    if (auto no = refuse_bad_scale(scale, ScaleRange::positive)) return no;
  }
  return std::nullopt;
}

}  // namespace byoc::c
