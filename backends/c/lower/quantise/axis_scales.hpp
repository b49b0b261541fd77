// Quantisation as the element-wise kernels take it.
#pragma once

#include <string>
#include <string_view>

#include "backends/c/emitter.hpp"
#include "byoc/nodes/scales.hpp"

namespace byoc::c {

// Emits the constants and returns the definition of a byoc_scales_t called `name`.
[[nodiscard]] Definition emit_axis_scales(Emitter&, std::string_view stem, std::string_view name, const AxisScales&);

}  // namespace byoc::c
