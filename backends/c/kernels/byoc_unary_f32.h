/* One function for each element; y may be x. a and b are the operator's own parameters. */
#ifndef BYOC_UNARY_F32_H
#define BYOC_UNARY_F32_H

#include "byoc_kernel.h"

#define BYOC_UNARY_F32(name) void name(int32_t count, const float* x, float* y, float a, float b)

BYOC_UNARY_F32(byoc_abs_f32);
BYOC_UNARY_F32(byoc_ceil_f32);
BYOC_UNARY_F32(byoc_clip_f32); /* to [a, b] */
BYOC_UNARY_F32(byoc_cos_f32);
BYOC_UNARY_F32(byoc_elu_f32);
BYOC_UNARY_F32(byoc_erf_f32);
BYOC_UNARY_F32(byoc_exp_f32);
BYOC_UNARY_F32(byoc_floor_f32);
BYOC_UNARY_F32(byoc_hard_sigmoid_f32);
BYOC_UNARY_F32(byoc_hard_swish_f32);
BYOC_UNARY_F32(byoc_leaky_relu_f32);
BYOC_UNARY_F32(byoc_log_f32);
BYOC_UNARY_F32(byoc_neg_f32);
BYOC_UNARY_F32(byoc_reciprocal_f32);
BYOC_UNARY_F32(byoc_relu_f32);
BYOC_UNARY_F32(byoc_sigmoid_f32);
BYOC_UNARY_F32(byoc_sin_f32);
BYOC_UNARY_F32(byoc_softplus_f32);
BYOC_UNARY_F32(byoc_sqrt_f32);
BYOC_UNARY_F32(byoc_tanh_f32);

#endif
