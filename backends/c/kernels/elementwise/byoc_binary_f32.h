/* Two broadcast operands, element by element. */
#ifndef BYOC_BINARY_F32_H
#define BYOC_BINARY_F32_H

#include "byoc_activation_f32.h"
#include "byoc_kernel.h"

#define BYOC_BINARY_RANK 6

/* The output is dense over dims; strides are in elements, 0 where an operand is broadcast. Of the last dim both
   strides are 0 or 1. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_BINARY_RANK], a_stride[BYOC_BINARY_RANK], b_stride[BYOC_BINARY_RANK];
  byoc_bounds_f32_t bounds;
} byoc_binary_f32_t;

/* y may be an operand that is not broadcast. */
#define BYOC_BINARY_F32(name) void name(const byoc_binary_f32_t* p, const float* a, const float* b, float* y)

#endif
