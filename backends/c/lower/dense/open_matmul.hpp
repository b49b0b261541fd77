// Products whose sizes are known when they run.
#pragma once

#include "backends/c/operators.hpp"

namespace byoc::c {

// MatMul and Gemm on f32 in a region with symbols: by a constant matrix packed, else the general product. Refused are
// more runs of batch dims than the kernel takes, a depth that is not known with packed weights, and a Gemm that is
// transposed or adds what is computed.
[[nodiscard]] codegen::Verdict accepts_open_matmul(const codegen::Region&, const codegen::Node&);
bool lower_open_matmul(Emitter&, const codegen::Node&);

}  // namespace byoc::c
