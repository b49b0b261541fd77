// The general product kernel, for Gemm and MatMul whose operands are not packed.
#pragma once

#include "backends/c/emitter.hpp"
#include "byoc/nodes/matmul.hpp"

namespace byoc::c {

// Emits the step for the node's inputs 0, 1 and, if it is given, 2.
void lower_general_matmul(Emitter&, const codegen::Node&, const MatMul&);

}  // namespace byoc::c
