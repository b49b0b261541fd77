/* Two broadcast operands, element by element. */
#ifndef BYOC_BINARY_H
#define BYOC_BINARY_H

#include "byoc_kernel.h"

#define BYOC_BINARY_RANK 6

/* The output is dense over dims; strides are in elements, 0 where an operand is broadcast. Of the last dim both
   strides are 0 or 1. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_BINARY_RANK], a_stride[BYOC_BINARY_RANK], b_stride[BYOC_BINARY_RANK];
} byoc_binary_t;

/* y may be an operand that is not broadcast, where both elements have one size. */
#define BYOC_BINARY(name, A, B, Y) void name(const byoc_binary_t* p, const A* a, const B* b, Y* y)

#endif
