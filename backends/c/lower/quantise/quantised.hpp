// The lowerings of operators on quantised values; one file each. The files of the operators dispatch to them.
#pragma once

#include "backends/c/lower/lowerings.hpp"

namespace byoc::c {

BYOC_DECLARE_LOWERING(conv_quantised);
BYOC_DECLARE_LOWERING(fully_connected_quantised);
BYOC_DECLARE_LOWERING(gemm_quantised);
BYOC_DECLARE_LOWERING(matmul_quantised);
BYOC_DECLARE_LOWERING(average_pool_quantised);
BYOC_DECLARE_LOWERING(add_quantised);
BYOC_DECLARE_LOWERING(mul_quantised);
BYOC_DECLARE_LOWERING(sub_quantised);
BYOC_DECLARE_LOWERING(softmax_quantised);
BYOC_DECLARE_LOWERING(relu_quantised);
BYOC_DECLARE_LOWERING(clip_quantised);
BYOC_DECLARE_LOWERING(div_quantised);
BYOC_DECLARE_LOWERING(lookup_onnx);

}  // namespace byoc::c
