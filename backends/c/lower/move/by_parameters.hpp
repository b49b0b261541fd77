// Slice and Pad by numbers that a run finds, where the model states the result's shape.
#pragma once

#include "backends/c/emitter.hpp"

namespace byoc::c {

// True if an operand that decides where elements go is computed; the fill value of a Pad is no such operand.
[[nodiscard]] bool has_computed_parameters(const codegen::Region&, const codegen::Node&);

[[nodiscard]] codegen::Verdict accepts_by_parameters(const codegen::Region&, const codegen::Node&);
bool lower_slice_by_parameters(Emitter&, const codegen::Node&);
bool lower_pad_by_parameters(Emitter&, const codegen::Node&);

}  // namespace byoc::c
