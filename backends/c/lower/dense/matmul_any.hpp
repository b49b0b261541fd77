// Matrix products in the general kernel: any element types, zero points and scales at run time.
#pragma once

#include "backends/c/lower/dense/matmul.hpp"
#include "backends/c/operators.hpp"

namespace byoc::c {

// Plain floats, and integers of 32 and 64 bits, for Gemm and MatMul.
[[nodiscard]] codegen::Verdict accepts_matmul_plain(const codegen::Region&, const codegen::Node&);
bool lower_matmul_plain(Emitter&, const codegen::Node&);
[[nodiscard]] codegen::Verdict accepts_qlinear_matmul_any(const codegen::Region&, const codegen::Node&);
bool lower_qlinear_matmul_any(Emitter&, const codegen::Node&);

}  // namespace byoc::c
