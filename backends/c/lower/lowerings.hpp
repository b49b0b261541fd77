// Declarations of the lowerings, for the table in operators.cpp.
#pragma once

#include "backends/c/operators.hpp"

#define BYOC_DECLARE_LOWERING(name)                                                                 \
  codegen::Verdict accepts_##name(const codegen::Region&, const codegen::Node&, const TargetSpec&); \
  bool lower_##name(Emitter&, const codegen::Node&)

namespace byoc::c {

BYOC_DECLARE_LOWERING(add);
BYOC_DECLARE_LOWERING(average_pool);
BYOC_DECLARE_LOWERING(conv);
BYOC_DECLARE_LOWERING(fully_connected);
BYOC_DECLARE_LOWERING(gemm);
BYOC_DECLARE_LOWERING(global_average_pool);
BYOC_DECLARE_LOWERING(matmul);
BYOC_DECLARE_LOWERING(reshape);
BYOC_DECLARE_LOWERING(softmax);
BYOC_DECLARE_LOWERING(sub);

}  // namespace byoc::c
