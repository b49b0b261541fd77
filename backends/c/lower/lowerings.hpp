// Declarations of the lowerings, for the table in operators.cpp.
#pragma once

#include "backends/c/operators.hpp"

#define BYOC_DECLARE_LOWERING(name)                                                                 \
  codegen::Verdict accepts_##name(const codegen::Region&, const codegen::Node&, const TargetSpec&); \
  bool lower_##name(Emitter&, const codegen::Node&)

namespace byoc::c {

BYOC_DECLARE_LOWERING(add);
BYOC_DECLARE_LOWERING(average_pool);
BYOC_DECLARE_LOWERING(batch_normalization);
BYOC_DECLARE_LOWERING(binary);
BYOC_DECLARE_LOWERING(clip);
BYOC_DECLARE_LOWERING(concat);
BYOC_DECLARE_LOWERING(conv);
BYOC_DECLARE_LOWERING(conv_float);
BYOC_DECLARE_LOWERING(dequantize);
BYOC_DECLARE_LOWERING(dequantize_linear);
BYOC_DECLARE_LOWERING(fully_connected);
BYOC_DECLARE_LOWERING(fully_connected_float);
BYOC_DECLARE_LOWERING(gemm);
BYOC_DECLARE_LOWERING(gemm_float);
BYOC_DECLARE_LOWERING(global_average_pool);
BYOC_DECLARE_LOWERING(global_max_pool);
BYOC_DECLARE_LOWERING(matmul);
BYOC_DECLARE_LOWERING(matmul_float);
BYOC_DECLARE_LOWERING(max_pool);
BYOC_DECLARE_LOWERING(mul);
BYOC_DECLARE_LOWERING(pad);
BYOC_DECLARE_LOWERING(qlinear_conv);
BYOC_DECLARE_LOWERING(qlinear_matmul);
BYOC_DECLARE_LOWERING(quantize);
BYOC_DECLARE_LOWERING(quantize_linear);
BYOC_DECLARE_LOWERING(reduce_float);
BYOC_DECLARE_LOWERING(reduce_mean);
BYOC_DECLARE_LOWERING(relu);
BYOC_DECLARE_LOWERING(reshape);
BYOC_DECLARE_LOWERING(slice);
BYOC_DECLARE_LOWERING(softmax);
BYOC_DECLARE_LOWERING(softmax_float);
BYOC_DECLARE_LOWERING(sub);
BYOC_DECLARE_LOWERING(transpose);
BYOC_DECLARE_LOWERING(unary);

}  // namespace byoc::c
