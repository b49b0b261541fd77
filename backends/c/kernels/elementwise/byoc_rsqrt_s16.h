/* 1 / sqrt(x) of 16-bit integers, by integer Newton steps. */
#ifndef BYOC_RSQRT_S16_H
#define BYOC_RSQRT_S16_H

#include "byoc_kernel.h"

typedef struct {
  int32_t count;
  int32_t multiplier, shift; /* from 1 / sqrt(integer) in 2^-20 to a step of the result */
} byoc_rsqrt_s16_t;

/* y may be x. */
void byoc_rsqrt_s16(const byoc_rsqrt_s16_t* p, const int16_t* x, int16_t* y);

#endif
