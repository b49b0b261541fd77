// Float functions of two broadcast operands.
#pragma once

#include "backends/c/emitter.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// For two or more inputs of f32 that broadcast to the output.
[[nodiscard]] codegen::Verdict accepts_binary_float(const codegen::Region&, const codegen::Node&, const TargetSpec&);
// The operators Add, Div, Max, Min, Mul, Pow, PRelu, Sub and Sum; more than two inputs are taken from the left.
bool lower_binary_float(Emitter&, const codegen::Node&);

}  // namespace byoc::c
