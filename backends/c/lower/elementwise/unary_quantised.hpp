// Quantised functions of one element in TFLite's arithmetic.
#pragma once

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// Abs, LeakyRelu, Relu, Clip on i8 or i16.
[[nodiscard]] codegen::Verdict accepts_piecewise(const codegen::Region&, const codegen::Node&);
bool lower_piecewise(Emitter&, const codegen::Node&);

// Accepts input and output that are both i8 or both i16, in TFLite's arithmetic.
[[nodiscard]] codegen::Verdict accepts_same_type(const codegen::Region&, const codegen::Node&);

// byoc.Rsqrt on i8 or i16.
[[nodiscard]] codegen::Verdict accepts_rsqrt_quantised(const codegen::Region&, const codegen::Node&);
bool lower_rsqrt_quantised(Emitter&, const codegen::Node&);

}  // namespace byoc::c
