// Declarations of the lowerings: of those in the table of operators, and of those that they hand a node on to.
#pragma once

#include "backends/c/operators.hpp"

#define BYOC_DECLARE_LOWERING(name)                                                                 \
  codegen::Verdict accepts_##name(const codegen::Region&, const codegen::Node&, const TargetSpec&); \
  bool lower_##name(Emitter&, const codegen::Node&)

namespace byoc::c {

#define BYOC_LOWERING(domain, op, lowering, ...) BYOC_DECLARE_LOWERING(lowering);
#include "backends/c/operators.inc"
#undef BYOC_LOWERING

BYOC_DECLARE_LOWERING(conv_float);
BYOC_DECLARE_LOWERING(fully_connected_float);
BYOC_DECLARE_LOWERING(gemm_float);
BYOC_DECLARE_LOWERING(matmul_float);
BYOC_DECLARE_LOWERING(softmax_float);

}  // namespace byoc::c
