/* Rows of `depth` elements divided by their Euclidean length; y may be x. */
#ifndef BYOC_L2_NORMALIZATION_H
#define BYOC_L2_NORMALIZATION_H

#include "byoc_kernel.h"

void byoc_l2_normalization_f32(int32_t rows, int32_t depth, const float* x, float* y);
void byoc_l2_normalization_f32_many(int32_t rows, int32_t depth, const float* x, float* y);
/* The result in 1/128. */
void byoc_l2_normalization_s8(int32_t rows, int32_t depth, int32_t zero, const int8_t* x, int8_t* y);

#endif
