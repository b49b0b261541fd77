// Functions of one quantised element in TFLite's arithmetic: tables for 8 bits, kernels for 16.
#pragma once

#include "backends/c/operators.hpp"

namespace byoc::c {

// True for the operators that these compile.
[[nodiscard]] bool is_activation(const codegen::Node&);
[[nodiscard]] codegen::Verdict accepts_activation_quantised(const codegen::Region&, const codegen::Node&);
bool lower_activation_quantised(Emitter&, const codegen::Node&);

}  // namespace byoc::c
