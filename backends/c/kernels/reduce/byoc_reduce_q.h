/* Sums and means of TFLite's quantised elements: folded in 32 bits, requantised once. */
#ifndef BYOC_REDUCE_Q_H
#define BYOC_REDUCE_Q_H

#include "byoc_reduce.h"
#include "byoc_requant.h"

/* Begins like byoc_reduce_t. */
typedef struct {
  int32_t rank;
  int32_t dims[BYOC_REDUCE_RANK], stride[BYOC_REDUCE_RANK];
  int32_t folded_rank;
  int32_t folded_dims[BYOC_REDUCE_RANK], folded_stride[BYOC_REDUCE_RANK];
  int32_t count;
  int32_t zeros; /* count times the zero point of x, wrapped around */
  int32_t multiplier, shift;
  int32_t zero, min, max; /* of y */
} byoc_reduce_q_t;

#define BYOC_REDUCE_Q(name, X) void name(const byoc_reduce_q_t* p, const X* x, X* y)

static inline int32_t byoc_requantise_fold(const byoc_reduce_q_t* p, uint32_t sum) {
  const int32_t y = byoc_multiply_q31((int32_t)(sum - (uint32_t)p->zeros), p->multiplier, p->shift);
  return byoc_clamp(y, p->min - p->zero, p->max - p->zero) + p->zero;
}

#endif
