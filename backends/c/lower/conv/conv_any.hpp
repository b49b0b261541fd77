// Convolutions in the general kernels: any element types and layouts, weights that are computed or constant.
#pragma once

#include "backends/c/lower/step/typed_step.hpp"
#include "backends/c/operators.hpp"
#include "byoc/nodes/convolution.hpp"

namespace byoc::c {

// The fields of a byoc_conv_any_t.
[[nodiscard]] ParameterText conv_any_parameters(const SpatialConvolution&);

[[nodiscard]] codegen::Verdict accepts_conv_real(const codegen::Region&, const codegen::Node&);
bool lower_conv_real(Emitter&, const codegen::Node&);
[[nodiscard]] codegen::Verdict accepts_qlinear_conv_any(const codegen::Region&, const codegen::Node&);
bool lower_qlinear_conv_any(Emitter&, const codegen::Node&);

}  // namespace byoc::c
