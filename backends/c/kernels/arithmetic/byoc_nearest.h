/* Rounding to nearest, halves to even, for kernels whose scales are known at run time. */
#ifndef BYOC_NEAREST_H
#define BYOC_NEAREST_H

#include <math.h>

#include "byoc_kernel.h"

/* v rounded, plus zero, inside [low, high]. Not-a-number counts as 0. */
static inline int32_t byoc_nearest(float v, int32_t zero, int32_t low, int32_t high) {
  int64_t q = 0;
  if (v >= 2147483648.0f) {
    q = (int64_t)1 << 31;
  } else if (v <= -2147483648.0f) {
    q = -((int64_t)1 << 31);
  } else if (v == v) {
    q = (int64_t)rintf(v);
  }
  q += zero;
  return q < low ? low : q > high ? high : (int32_t)q;
}

#endif
