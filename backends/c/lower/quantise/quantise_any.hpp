// QuantizeLinear and DequantizeLinear whose parameters the fast kernels do not take: computed, blocked, 16-bit floats.
#pragma once

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

[[nodiscard]] codegen::Verdict accepts_quantise_any(const codegen::Region&, const codegen::Node&);
bool lower_quantise_any(Emitter&, const codegen::Node&);

}  // namespace byoc::c
