#ifndef BYOC_SOFTMAX_F32_H
#define BYOC_SOFTMAX_F32_H

#include "byoc_kernel.h"

/* x and y: [outer][count][inner]; y = exp(beta * (x - max)) / sum of these over `count`. y may be x. */
void byoc_softmax_f32(int32_t outer, int32_t count, int32_t inner, float beta, const float* x, float* y);
void byoc_softmax_f32_many(int32_t outer, int32_t count, int32_t inner, float beta, const float* x, float* y);
void byoc_softmax_f32_mve(int32_t outer, int32_t count, int32_t inner, float beta, const float* x, float* y);

/* The logarithm of that, of beta 1. */
void byoc_log_softmax_f32_mve(int32_t outer, int32_t count, int32_t inner, float beta, const float* x, float* y);

#endif
