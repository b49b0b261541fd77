#include "backends/c/lower/quantise/axis_scales.hpp"

#include "backends/c/lower/step/parameter_text.hpp"

namespace byoc::c {

Definition emit_axis_scales(Emitter& emitter, std::string_view stem, std::string_view name, const AxisScales& s) {
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
