// Converts one quantisation to another, per tensor.
#pragma once

#include "backends/c/operators.hpp"

namespace byoc::c {

[[nodiscard]] codegen::Verdict accepts_rescale(const codegen::Region&, const codegen::Node&);
bool lower_rescale(Emitter&, const codegen::Node&);

}  // namespace byoc::c
