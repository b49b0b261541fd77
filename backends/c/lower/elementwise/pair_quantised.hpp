// Operators of two quantised operands in TFLite's arithmetic.
#pragma once

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// Add, Div, Max, Min, Mul, PRelu, Sub, the comparisons, byoc.NotEqual and byoc.SquaredDifference.
[[nodiscard]] codegen::Verdict accepts_pair_quantised(const codegen::Region&, const codegen::Node&);
// True where they are computed four elements at once.
[[nodiscard]] bool takes_pair_vectors(const TargetSpec&, Objective);
bool lower_pair_quantised(Emitter&, const codegen::Node&);

}  // namespace byoc::c
