/* Many elements into one: over some dims of x, in row-major order. */
#ifndef BYOC_REDUCE_H
#define BYOC_REDUCE_H

#include "byoc_kernel.h"

#define BYOC_REDUCE_RANK 6

/* The dims that stay, and those that are folded, each with their strides in x; y is dense over the dims that stay. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_REDUCE_RANK], stride[BYOC_REDUCE_RANK];
  int32_t folded_rank;
  int32_t folded_dims[BYOC_REDUCE_RANK], folded_stride[BYOC_REDUCE_RANK];
  int32_t count; /* elements that make one result; may be 0 */
} byoc_reduce_t;

#define BYOC_REDUCE(name, X) void name(const byoc_reduce_t* p, const X* x, X* y)

#endif
