/* Sums over some dims of x, times a factor. */
#ifndef BYOC_REDUCE_F32_H
#define BYOC_REDUCE_F32_H

#include "byoc_kernel.h"

#define BYOC_REDUCE_RANK 6

/* x is dense over dims; y_stride is 0 where a dim is reduced and y's own stride in elements elsewhere. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_REDUCE_RANK], y_stride[BYOC_REDUCE_RANK];
  int32_t results; /* elements of y */
  float factor;
} byoc_reduce_f32_t;

void byoc_reduce_sum_f32(const byoc_reduce_f32_t* p, const float* x, float* y);
/* For sums of many elements. lost: as many as y has; what rounding cuts off is kept there. */
void byoc_reduce_sum_many_f32(const byoc_reduce_f32_t* p, const float* x, float* y, float* lost);

#endif
