// Pools in the general kernel: any element type, p-norms, and the places of largest elements.
#pragma once

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

[[nodiscard]] codegen::Verdict accepts_pool_any(const codegen::Region&, const codegen::Node&, bool global);
// MaxPool, AveragePool and LpPool, and their global forms.
bool lower_pool_any(Emitter&, const codegen::Node&, bool global);

}  // namespace byoc::c
