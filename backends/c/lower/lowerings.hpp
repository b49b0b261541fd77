// Declarations of the lowerings, for the table in operators.cpp.
#pragma once

#include "backends/c/operators.hpp"

#define BYOC_DECLARE_LOWERING(name)                                                                 \
  codegen::Verdict accepts_##name(const codegen::Region&, const codegen::Node&, const TargetSpec&); \
  bool lower_##name(Emitter&, const codegen::Node&)

namespace byoc::c {

BYOC_DECLARE_LOWERING(affine_grid);
BYOC_DECLARE_LOWERING(arg);
BYOC_DECLARE_LOWERING(add_n);
BYOC_DECLARE_LOWERING(average_pool);
BYOC_DECLARE_LOWERING(batch_matmul);
BYOC_DECLARE_LOWERING(l2_pool);
BYOC_DECLARE_LOWERING(batch_normalization);
BYOC_DECLARE_LOWERING(binary);
BYOC_DECLARE_LOWERING(cast);
BYOC_DECLARE_LOWERING(center_crop_pad);
BYOC_DECLARE_LOWERING(clip);
BYOC_DECLARE_LOWERING(col2im);
BYOC_DECLARE_LOWERING(concat);
BYOC_DECLARE_LOWERING(conv);
BYOC_DECLARE_LOWERING(conv_float);
BYOC_DECLARE_LOWERING(conv_integer);
BYOC_DECLARE_LOWERING(conv_transpose);
BYOC_DECLARE_LOWERING(cum_sum);
BYOC_DECLARE_LOWERING(deform_conv);
BYOC_DECLARE_LOWERING(depth_to_space);
BYOC_DECLARE_LOWERING(dequantize);
BYOC_DECLARE_LOWERING(dequantize_linear);
BYOC_DECLARE_LOWERING(det);
BYOC_DECLARE_LOWERING(dft);
BYOC_DECLARE_LOWERING(dynamic_quantize_linear);
BYOC_DECLARE_LOWERING(dynamic_update_slice);
BYOC_DECLARE_LOWERING(einsum);
BYOC_DECLARE_LOWERING(expand);
BYOC_DECLARE_LOWERING(fully_connected);
BYOC_DECLARE_LOWERING(fully_connected_float);
BYOC_DECLARE_LOWERING(gather);
BYOC_DECLARE_LOWERING(gather_elements);
BYOC_DECLARE_LOWERING(gather_nd);
BYOC_DECLARE_LOWERING(gelu);
BYOC_DECLARE_LOWERING(gemm);
BYOC_DECLARE_LOWERING(gemm_float);
BYOC_DECLARE_LOWERING(global_average_pool);
BYOC_DECLARE_LOWERING(global_max_pool);
BYOC_DECLARE_LOWERING(grid_sample);
BYOC_DECLARE_LOWERING(instance_normalization);
BYOC_DECLARE_LOWERING(is_inf);
BYOC_DECLARE_LOWERING(l2_normalization);
BYOC_DECLARE_LOWERING(layer_normalization);
BYOC_DECLARE_LOWERING(loss);
BYOC_DECLARE_LOWERING(lp_normalization);
BYOC_DECLARE_LOWERING(lp_pool);
BYOC_DECLARE_LOWERING(lrn);
BYOC_DECLARE_LOWERING(matmul);
BYOC_DECLARE_LOWERING(matmul_float);
BYOC_DECLARE_LOWERING(matmul_integer);
BYOC_DECLARE_LOWERING(max_pool);
BYOC_DECLARE_LOWERING(max_roi_pool);
BYOC_DECLARE_LOWERING(max_unpool);
BYOC_DECLARE_LOWERING(mean_variance_normalization);
BYOC_DECLARE_LOWERING(one_hot);
BYOC_DECLARE_LOWERING(optimiser);
BYOC_DECLARE_LOWERING(pad);
BYOC_DECLARE_LOWERING(pow);
BYOC_DECLARE_LOWERING(qlinear_conv);
BYOC_DECLARE_LOWERING(qlinear_matmul);
BYOC_DECLARE_LOWERING(quantize);
BYOC_DECLARE_LOWERING(quantize_linear);
BYOC_DECLARE_LOWERING(recurrent);
BYOC_DECLARE_LOWERING(reduce);
BYOC_DECLARE_LOWERING(relu);
BYOC_DECLARE_LOWERING(reshape);
BYOC_DECLARE_LOWERING(resize);
BYOC_DECLARE_LOWERING(reverse_sequence);
BYOC_DECLARE_LOWERING(roi_align);
BYOC_DECLARE_LOWERING(run_time_shape);
BYOC_DECLARE_LOWERING(scatter_elements);
BYOC_DECLARE_LOWERING(scatter_nd);
BYOC_DECLARE_LOWERING(slice);
BYOC_DECLARE_LOWERING(softmax);
BYOC_DECLARE_LOWERING(softmax_float);
BYOC_DECLARE_LOWERING(space_to_depth);
BYOC_DECLARE_LOWERING(split);
BYOC_DECLARE_LOWERING(tfidf_vectorizer);
BYOC_DECLARE_LOWERING(tile);
BYOC_DECLARE_LOWERING(top_k);
BYOC_DECLARE_LOWERING(transpose);
BYOC_DECLARE_LOWERING(trilu);
BYOC_DECLARE_LOWERING(unary);
BYOC_DECLARE_LOWERING(where);

}  // namespace byoc::c
