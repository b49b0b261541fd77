/* Sums of weighted neighbours along one axis. */
#ifndef BYOC_RESAMPLE_H
#define BYOC_RESAMPLE_H

#include "byoc_kernel.h"

/* Element o of the new axis is the sum over taps [tap[o], tap[o + 1]) of their weights and the elements from first[o]
   on; without a tap it is `outside`. */
typedef struct {
  int32_t outer, in, out, inner;
  const int32_t *first, *tap;
} byoc_resample_t;

#define BYOC_RESAMPLE(name, X, Y, W) void name(const byoc_resample_t* p, const W* weights, W outside, const X* x, Y* y)

#endif
