/* Reductions of 8-bit quantised elements: dequantised, folded in float, quantised with halves to even. */
#ifndef BYOC_REDUCE_Q8_H
#define BYOC_REDUCE_Q8_H

#include "byoc_reduce.h"
#include "byoc_requant.h"

/* Begins like byoc_reduce_t. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_REDUCE_RANK], stride[BYOC_REDUCE_RANK];
  int32_t folded_rank;
  int32_t folded_dims[BYOC_REDUCE_RANK], folded_stride[BYOC_REDUCE_RANK];
  int32_t count;
  float in_scale, out_scale;
  int32_t in_zero, out_zero, min, max;
} byoc_reduce_q8_t;

#define BYOC_REDUCE_Q8(name, X) void name(const byoc_reduce_q8_t* p, const X* x, X* y)

static inline int32_t byoc_quantised(float real, float scale, int32_t zero, int32_t min, int32_t max) {
  const float q = real / scale;
  if (!(q > (float)(min - zero))) return min; /* not-a-number too */
  return q < (float)(max - zero) ? byoc_round_even(q) + zero : max;
}

#endif
