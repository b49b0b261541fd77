/* Functions of one 16-bit element that are straight on each side of zero; all zero points are 0. */
#ifndef BYOC_PIECEWISE_S16_H
#define BYOC_PIECEWISE_S16_H

#include "byoc_requant.h"

typedef struct {
  int32_t multiplier, shift;
} byoc_side_t;

typedef struct {
  int32_t count;
  byoc_side_t above, below;
  int32_t flip; /* what is below zero changes its sign first */
  int32_t min, max;
} byoc_piecewise_s16_t;

/* y may be x. */
void byoc_piecewise_s16(const byoc_piecewise_s16_t* p, const int16_t* x, int16_t* y);

#endif
